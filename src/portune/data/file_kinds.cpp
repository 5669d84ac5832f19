#include "portune/data/file_kinds.h"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "portune/base/message.h"
#include "portune/error.h"
#include "portune/sources.h"

namespace portune::data {
namespace {

namespace fs = std::filesystem;

struct Kind {
  FileKind kind;
  const char* extension;
  bool incidental = false;  // see tables_in()
};
constexpr Kind kKinds[] = {
    {FileKind::kCsv, ".csv"},           {FileKind::kTsv, ".tsv"},           {FileKind::kJsonl, ".jsonl"},
    {FileKind::kJsonl, ".ndjson"},      {FileKind::kJson, ".json", true},   {FileKind::kText, ".txt", true},
    {FileKind::kConll, ".conll"},       {FileKind::kParquet, ".parquet"},   {FileKind::kArrow, ".arrow"},
    {FileKind::kTfrecord, ".tfrecord"}, {FileKind::kTfrecord, ".tfrecords"}};

const Kind* find_kind(const std::string& path) {
  const auto* found = std::ranges::find(kKinds, kind_extension(path), &Kind::extension);
  return found == std::end(kKinds) ? nullptr : found;
}

std::vector<fs::path> entries_of(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  std::vector<fs::path> paths;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) paths.push_back(entry->path());
  if (error) {
    throw IoError({.where = folder, .given = error.message(), .expected = "a readable folder"}, error.value());
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> tables_among(const std::vector<fs::path>& paths, bool incidental) {
  std::vector<std::string> files;
  for (const fs::path& path : paths) {
    const Kind* kind = find_kind(path);
    const bool counts = kind != nullptr && kind->incidental == incidental && !path.filename().native().starts_with(".");
    if (counts && fs::is_regular_file(path)) files.push_back(path);
  }
  return files;
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
                    .fix = "say which: '" + folder + "/*" + *extensions.begin() + "'"});
}

bool is_remote(const std::string& path) { return path.find("://") != std::string::npos; }

bool is_pattern(const std::string& path) {
  std::error_code ignored;
  return path.find_first_of("*?[") != std::string::npos && !is_remote(path) && !fs::exists(path, ignored);
}

struct Matches {
  glob_t found = {};
  ~Matches() { globfree(&found); }
};

std::vector<std::string> matches_of(const std::string& pattern) {
  Matches matches;
  const auto stop_at = [](const char*, int error) { return error == ENOENT ? 0 : 1; };
  const int status = glob(pattern.c_str(), GLOB_NOSORT, stop_at, &matches.found);
  if (status == GLOB_ABORTED) {
    throw IoError({.where = pattern, .given = std::strerror(errno), .expected = "folders that can be read"}, errno);
  }
  std::vector<std::string> files;
  for (size_t i = 0; status == 0 && i < matches.found.gl_pathc; ++i) {
    if (const std::string path = matches.found.gl_pathv[i]; !fs::is_directory(path)) files.push_back(path);
  }
  std::ranges::sort(files);  // as bytes: the order does not depend on the user's language
  if (!files.empty()) return files;
  throw NotFoundError(
      {.where = "'" + pattern + "'", .given = "no file that matches this pattern", .expected = "at least one"});
}

// All that people keep pictures in: a file of a kind that cannot be decoded is to be told of, not to be passed over.
constexpr std::array kImageExtensions = {".jpg", ".jpeg", ".png", ".webp", ".gif",  ".bmp",  ".tif", ".tiff",
                                         ".ppm", ".pgm",  ".pbm", ".avif", ".heic", ".heif", ".jp2"};

std::string lower_case_extension(const fs::path& path) {
  std::string extension = path.extension();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

}  // namespace

std::string kind_extension(const std::string& path) {
  const size_t query = is_remote(path) ? path.find_first_of("?#") : std::string::npos;
  const fs::path name = fs::path(path.substr(0, query)).filename();
  const std::string last = lower_case_extension(name);
  const std::string found = last == ".gz" || last == ".zst" ? lower_case_extension(name.stem()) : last;
  return found.starts_with(".tfrecord") ? found.substr(0, found.find('-')) : found;
}

std::vector<std::string> matching_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    const std::vector<std::string> meant = is_pattern(word) ? matches_of(word) : std::vector{word};
    files.insert(files.end(), meant.begin(), meant.end());
  }
  return files;
}

std::vector<std::string> table_files(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : matching_files(words)) {
    const std::vector<std::string> meant = fs::is_directory(word) ? tables_in(word) : std::vector{word};
    files.insert(files.end(), meant.begin(), meant.end());
  }
  return files;
}

std::optional<FileKind> kind_of(const std::string& path) {
  const Kind* kind = find_kind(path);
  return kind == nullptr ? std::nullopt : std::optional(kind->kind);
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

bool holds_tables(const std::string& folder) {
  const std::vector<fs::path> entries = entries_of(folder);
  const auto is_of_images = [](const fs::path& path) { return is_image_name(path) || fs::is_directory(path); };
  return std::ranges::none_of(entries, is_of_images) && !tables_among(entries, false).empty();
}

std::vector<std::string> tables_in(const std::string& folder) {
  const std::vector<fs::path> entries = entries_of(folder);
  std::vector<std::string> files = tables_among(entries, false);
  if (files.empty()) files = tables_among(entries, true);
  if (files.empty()) {
    throw NotFoundError({.where = folder,
                         .given = "a folder without tables",
                         .expected = "files directly in it that end in " + table_extensions()});
  }
  require_one_kind(folder, files);
  return files;
}

}  // namespace portune::data
