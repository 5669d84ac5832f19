#include "portatune/tasks/rows/row_file.h"

#include <filesystem>
#include <limits>
#include <string_view>

#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/listing.h"
#include "portatune/media.h"
#include "portatune/sources.h"

namespace portatune::tasks {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

bool is_file(const std::string& text, const FileType& type) { return type.begins_file(bytes_of(text)); }

// Looks at the beginning alone, as a binary file of an unknown format may contain URLs.
bool is_url(std::string_view text) {
  constexpr std::string_view kScheme = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-";
  const size_t end = text.find_first_not_of(kScheme);
  return end != std::string_view::npos && end > 0 && text.substr(end).starts_with("://");
}

// The folder of a table. A query may contain slashes, too.
std::filesystem::path folder_of(const std::string& table) {
  const bool has_query = is_url(table) && !io::has_listing(table);
  return std::filesystem::path(has_query ? table.substr(0, table.find('?')) : table).parent_path();
}

// The path or URL of a row's file.
std::string path_of(const data::Example& row, const std::string& column) {
  const std::string& text = row.text(column);
  const data::Origin& origin = row.origin();
  const bool is_in_table = origin.file && origin.row >= 0;
  return is_url(text) || !is_in_table ? text : (folder_of(*origin.file) / text).string();
}

std::string download(const std::string& url, const FileType& type) {
  constexpr int64_t kMaxBytes = 1 << 30;
  try {
    const auto file = io::open_random_access(url);
    if (file->size() > kMaxBytes) {
      throw DataError({.where = url,
                       .given = std::to_string(file->size()) + " bytes",
                       .expected = std::string(type.one) + " of at most " + std::to_string(kMaxBytes)});
    }
    std::string bytes(static_cast<size_t>(file->size()), '\0');
    file->read_at(0, bytes);
    return bytes;
  } catch (const UsageError& error) {  // the URL is data here, not an option
    throw DataError(error.report());
  }
}

bool names_url(const data::Example& row, const std::string& column, const FileType& type) {
  return !is_file(row.text(column), type) && is_url(path_of(row, column));
}

// Downloads wait for servers, so more threads than cores help; each thread has two files in memory.
constexpr data::MapOptions kDownloads = {.threads = 32, .block = 1};

}  // namespace

const FileType kImageFile = {"an image", "a JPEG, PNG or WebP file", image::is_image};
const FileType kAudioFile = {"a recording", "a WAV, AIFF, FLAC, Ogg or MP3 file", audio::is_audio};

RowFile::RowFile(const data::Example& row, const std::string& column, const FileType& type, io::SeenFiles* seen) {
  const std::string& text = row.text(column);
  if (is_file(text, type)) {
    name_ = to_string(row.origin());
    in_row_ = bytes_of(text);
    return;
  }
  name_ = path_of(row, column);
  if (row.has(kDownloadedFile)) {
    in_row_ = bytes_of(row.text(kDownloadedFile));
  } else if (is_url(name_)) {
    downloaded_ = download(name_, type);
  } else if (io::is_remote(text)) {
    throw DataError({.where = to_string(row.origin()),
                     .given = "bytes of an unknown format in column \"" + column + "\"",
                     .expected = std::string(type.formats) + ", or the path or URL of one"});
  } else {
    if (seen != nullptr) seen->see(name_);
    file_ = io::MappedFile::open(name_, io::FileAccess::kRead);
  }
}

std::span<const std::byte> RowFile::bytes() const {
  if (file_) return file_->bytes();
  return downloaded_.empty() ? in_row_ : bytes_of(downloaded_);
}

std::string file_path(const data::Example& row, const std::string& column, const FileType& type) {
  if (is_file(row.text(column), type)) return to_string(row.origin());
  const std::string path = path_of(row, column);
  return is_url(path) ? path : std::filesystem::absolute(path).string();
}

std::string file_name(const data::Example& row, const std::string& column, const FileType& type) {
  const std::string& text = row.text(column);
  return is_file(text, type) ? to_string(row.origin()) : text;
}

bool names_urls(const data::Dataset& rows, const std::string& column, const FileType& type) {
  bool first_has_url = false;
  const auto look = [&](const data::Example& row) {
    first_has_url = names_url(row, column, type);
    return true;
  };
  const auto all = std::make_shared<data::BadRows>(std::numeric_limits<int64_t>::max());
  rows.filter(look).skip_bad_rows(all).iterate().next();
  return first_has_url;
}

data::Dataset download_files(const data::Dataset& rows, const std::string& column, const FileType& type,
                             const data::LocalRows& local) {
  const auto with_file = [column, &type](data::Example row, bool is_local) {
    if (is_local && names_url(row, column, type)) row.set(kDownloadedFile, download(path_of(row, column), type));
    return row;
  };
  return rows.map_local(with_file, local, kDownloads).named("download");
}

}  // namespace portatune::tasks
