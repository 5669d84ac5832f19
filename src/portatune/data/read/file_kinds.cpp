#include "portatune/data/read/file_kinds.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/data/read/hub_dataset.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/listing.h"
#include "portatune/io/remote/url_pattern.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

namespace fs = std::filesystem;

struct Kind {
  FileKind kind;
  const char* extension;
  bool incidental = false;  // see tables_in()
};
constexpr Kind kKinds[] = {
    {FileKind::kCsv, ".csv"},      {FileKind::kTsv, ".tsv"},           {FileKind::kJsonl, ".jsonl"},
    {FileKind::kJsonl, ".ndjson"}, {FileKind::kJson, ".json", true},   {FileKind::kText, ".txt", true},
    {FileKind::kConll, ".conll"},  {FileKind::kParquet, ".parquet"},   {FileKind::kArrow, ".arrow"},
    {FileKind::kTar, ".tar"},      {FileKind::kTfrecord, ".tfrecord"}, {FileKind::kTfrecord, ".tfrecords"}};

const Kind* find_kind(const std::string& path) {
  const auto* found = std::ranges::find(kKinds, kind_extension(path), &Kind::extension);
  return found == std::end(kKinds) ? nullptr : found;
}

// The files directly in a folder, sorted.
std::vector<std::string> files_in(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  std::vector<std::string> files;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file()) files.push_back(entry->path());
  }
  if (error) {
    throw IoError({.where = folder, .given = error.message(), .expected = "a readable folder"}, error.value());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> tables_of_sort(const std::vector<std::string>& files, bool incidental) {
  std::vector<std::string> tables;
  for (const std::string& file : files) {
    const Kind* kind = find_kind(file);
    const bool hidden = fs::path(file).filename().native().starts_with(".");
    if (kind != nullptr && kind->incidental == incidental && !hidden) tables.push_back(file);
  }
  return tables;
}

void require_one_kind(const std::string& folder, const std::vector<std::string>& files) {
  std::set<FileKind> kinds;
  std::set<std::string> extensions;
  for (const std::string& file : files) {
    kinds.insert(*kind_of(file));
    extensions.insert(kind_extension(file));
  }
  if (kinds.size() == 1) return;
  throw UsageError({.where = folder,
                    .given = "files of several kinds: " + list_of(std::vector(extensions.begin(), extensions.end())),
                    .expected = "a folder with files of one kind",
                    .fix = "choose one, such as '" + folder + "/*" + *extensions.begin() + "'"});
}

// In an https:// URL a question mark begins the query, and brackets may enclose the host's address.
bool is_pattern(const std::string& path) {
  std::error_code ignored;
  if (io::is_remote(path) && !io::has_listing(path)) return path.find('*') != std::string::npos;
  if (path.find_first_of("*?[") == std::string::npos) return false;
  return io::is_remote(path) || !fs::exists(path, ignored);
}

// True for a folder. A URL of a server that lists its files is judged by its name: it ends in a slash, or has no
// extension of a table.
bool is_folder(const std::string& path) {
  if (io::has_listing(path)) return path.ends_with('/') || !kind_of(path);
  return !io::is_remote(path) && fs::is_directory(path);
}

struct Matches {
  glob_t found = {};
  ~Matches() { globfree(&found); }
};

std::vector<std::string> local_matches(const std::string& pattern) {
  Matches matches;
  const auto stop_at = [](const char*, int error) { return error == ENOENT ? 0 : 1; };
  const int status = glob(pattern.c_str(), GLOB_NOSORT, stop_at, &matches.found);
  if (status == GLOB_ABORTED) {
    throw IoError({.where = pattern, .given = std::strerror(errno), .expected = "readable folders"}, errno);
  }
  std::vector<std::string> files;
  for (size_t i = 0; status == 0 && i < matches.found.gl_pathc; ++i) {
    if (const std::string path = matches.found.gl_pathv[i]; !fs::is_directory(path)) files.push_back(path);
  }
  std::ranges::sort(files);  // by bytes: the order does not depend on the locale
  return files;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  if (io::is_remote(pattern) && !io::has_listing(pattern)) {
    throw UsageError({.where = "'" + pattern + "'",
                      .given = "a pattern of URLs",
                      .expected = "URLs of single files, as https:// has no listing of files",
                      .fix = "name each file; write an asterisk in a name as %2A"});
  }
  std::vector<std::string> files = io::is_remote(pattern) ? io::url_matches(pattern) : local_matches(pattern);
  if (!files.empty()) return files;
  throw NotFoundError(
      {.where = "'" + pattern + "'", .given = "no file that matches this pattern", .expected = "at least one"});
}

// All common formats, so that a file that cannot be decoded is an error and not skipped.
constexpr std::array kImageExtensions = {".jpg", ".jpeg", ".png", ".webp", ".gif",  ".bmp",  ".tif", ".tiff",
                                         ".ppm", ".pgm",  ".pbm", ".avif", ".heic", ".heif", ".jp2"};
constexpr std::array kAudioExtensions = {".wav", ".wave", ".aif", ".aiff", ".aifc", ".flac", ".ogg",
                                         ".oga", ".opus", ".mp3", ".m4a",  ".aac",  ".wma",  ".webm",
                                         ".au",  ".snd",  ".caf", ".amr",  ".mp2",  ".w64",  ".rf64"};

// The name of a file, without the query of a URL.
fs::path name_in(const std::string& path) {
  const size_t query = io::is_remote(path) ? path.find_first_of("?#") : std::string::npos;
  return fs::path(path.substr(0, query)).filename();
}

std::string lower_case_extension(const fs::path& path) { return lower_case(path.extension().native()); }

}  // namespace

bool is_compressed_name(const std::string& path) {
  const std::string last = lower_case_extension(name_in(path));
  return last == ".gz" || last == ".zst";
}

std::string kind_extension(const std::string& path) {
  const fs::path name = name_in(path);
  const std::string found = lower_case_extension(is_compressed_name(path) ? name.stem() : name);
  return found.starts_with(".tfrecord") ? found.substr(0, found.find('-')) : found;
}

std::vector<std::string> matching_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    const std::vector<std::string> meant = is_hub_dataset(word) ? hub_dataset_files(word)
                                           : is_pattern(word)   ? matches_of(word)
                                                                : std::vector{word};
    files.insert(files.end(), meant.begin(), meant.end());
  }
  return files;
}

std::vector<std::string> table_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : matching_files(words)) {
    const std::vector<std::string> meant = is_folder(word) ? tables_in(word) : std::vector{word};
    files.insert(files.end(), meant.begin(), meant.end());
  }
  return files;
}

std::optional<FileKind> kind_of(const std::string& path) {
  const Kind* kind = find_kind(path);
  return kind == nullptr ? std::nullopt : std::optional(kind->kind);
}

bool is_table(const std::string& path) {
  const Kind* kind = find_kind(path);
  return kind != nullptr && kind->kind != FileKind::kConll;
}

std::string table_extensions() {
  std::vector<std::string> extensions;
  for (const Kind& kind : kKinds) {
    if (kind.kind != FileKind::kConll) extensions.emplace_back(kind.extension);
  }
  return list_of(extensions);
}

bool is_image_name(const std::string& path) {
  return std::ranges::find(kImageExtensions, lower_case_extension(path)) != kImageExtensions.end();
}

bool is_audio_name(const std::string& path) {
  return std::ranges::find(kAudioExtensions, lower_case_extension(path)) != kAudioExtensions.end();
}

bool holds_tables(const std::string& folder) {
  const std::vector<std::string> files = files_in(folder);
  const auto is_directory = [](const fs::directory_entry& entry) { return entry.is_directory(); };
  const bool has_folders = std::ranges::any_of(fs::directory_iterator(folder), is_directory);
  const auto is_example = [](const std::string& file) { return is_image_name(file) || is_audio_name(file); };
  return !has_folders && std::ranges::none_of(files, is_example) && !tables_of_sort(files, false).empty();
}

std::vector<std::string> tables_in(const std::string& folder) {
  return tables_among(io::has_listing(folder) ? io::remote_files(folder) : files_in(folder), folder);
}

std::vector<std::string> tables_among(const std::vector<std::string>& all, const std::string& where) {
  std::vector<std::string> files = tables_of_sort(all, false);
  if (files.empty()) files = tables_of_sort(all, true);
  if (files.empty()) {
    throw NotFoundError({.where = where,
                         .given = "a folder without tables",
                         .expected = "a folder with files that end in " + table_extensions()});
  }
  require_one_kind(where, files);
  return files;
}

}  // namespace portatune::data
