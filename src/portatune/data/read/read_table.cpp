#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/data/read/rename_columns.h"
#include "portatune/error.h"
#include "portatune/io/file/git_lfs.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/hub/hub_name.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

FileKind kind_of_format(const std::string& format) {
  constexpr std::array kFormats = {"csv", "tsv", "jsonl", "txt"};
  if (std::ranges::find(kFormats, format) != kFormats.end()) return *kind_of("rows." + format);
  throw UsageError({.where = "read_table", .given = "format '" + format + "'", .expected = "csv, tsv, jsonl or txt"});
}

// Advice on a file that no reader of tables takes by its name.
std::string advice_on(const std::string& extension) {
  if (extension == ".xlsx" || extension == ".xls" || extension == ".ods") return "save the sheet as CSV in UTF-8";
  if (extension == ".conll") return "--task token-classification reads this format";
  return "rename it; evaluate and predict also have --format csv, tsv, jsonl or txt";
}

[[noreturn]] void refuse_extension(const std::string& path) {
  if (path == "/dev/stdin") {
    throw UsageError({.where = "standard input",
                      .given = "rows of an unknown format",
                      .fix = "add --format csv, tsv, jsonl or txt"});
  }
  const std::string extension = kind_extension(path);
  throw UsageError({.where = path,
                    .given = extension.empty() ? "a name without an extension" : "a file that ends in " + extension,
                    .expected = "a file that ends in one of " + table_extensions() +
                                "; text and TFRecord files optionally with .gz or .zst",
                    .fix = advice_on(extension)});
}

struct Signature {
  std::string_view bytes, kind, fix;
};
constexpr Signature kSignatures[] = {
    {"PAR1", "a Parquet file", "rename it to end in .parquet"},
    {"ARROW1", "an Arrow file", "rename it to end in .arrow"},
    {"PK\x03\x04", "a zip archive, such as a spreadsheet", "save the sheet as CSV in UTF-8"}};

// Throws DataError if a local file is a Git LFS pointer, or text by its name that begins like a file of another kind.
void require_contents(const std::string& path, FileKind kind) {
  if (io::is_remote(path) || !std::filesystem::is_regular_file(path)) return;
  std::ifstream file(path, std::ios::binary);
  std::string start(io::kGitLfsPointer.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  io::refuse_git_lfs_pointer<DataError>(start, path);
  const bool is_binary =
      kind == FileKind::kParquet || kind == FileKind::kArrow || kind == FileKind::kTar || kind == FileKind::kTfrecord;
  if (is_binary) return;
  for (const Signature& signature : kSignatures) {
    if (!start.starts_with(signature.bytes)) continue;
    throw DataError({.where = path,
                     .given = std::string(signature.kind) + " by its first bytes",
                     .expected = "text, by its name",
                     .fix = std::string(signature.fix)});
  }
}

// Throws UsageError for a compressed file of a kind that is read in place.
void require_readable_in_place(const std::string& path, FileKind kind) {
  const bool is_read_in_place = kind == FileKind::kParquet || kind == FileKind::kArrow || kind == FileKind::kTar;
  if (!is_read_in_place || !is_compressed_name(path)) return;
  throw UsageError({.where = path,
                    .given = "a compressed " + kind_extension(path) + " file",
                    .expected = "a " + kind_extension(path) + " file",
                    .fix = "unpack it with gunzip or unzstd"});
}

FileKind known_kind(const std::string& path) {
  const std::optional<FileKind> kind = kind_of(path);
  if (kind) require_readable_in_place(path, *kind);
  if (kind) require_contents(path, *kind);
  if (kind && *kind != FileKind::kConll) return *kind;
  if (!io::is_remote(path) && std::filesystem::path(path).extension().empty() && !std::filesystem::exists(path)) {
    const bool is_hub_name = io::HubName::parse(path, io::HubKind::kDataset).has_value();
    throw NotFoundError({.where = path,
                         .given = "no such file or folder",
                         .expected = "local files or URLs",
                         .fix = is_hub_name ? "for a data set of the Hugging Face Hub: hf:" + path : ""});
  }
  refuse_extension(path);
}

// Throws NotFoundError for a missing file if a file in its folder has a similar name.
void refuse_misspelled(const std::string& path) {
  std::error_code error;
  if (io::is_remote(path) || std::filesystem::exists(path, error)) return;
  const std::filesystem::path file(path), folder = file.has_parent_path() ? file.parent_path() : ".";
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  const std::string meant = nearest(file.filename().native(), names);
  if (meant.empty()) return;
  throw NotFoundError({.where = path, .given = "no such file", .fix = suggestion(meant)});
}

FileKind common_kind(const std::vector<std::string>& paths, const std::string& format) {
  if (paths.empty()) throw UsageError({.where = "read_table", .given = "no files", .expected = "at least one"});
  std::ranges::for_each(paths, refuse_misspelled);
  if (!format.empty()) return kind_of_format(format);
  const FileKind kind = known_kind(paths.front());
  for (const std::string& path : paths) {
    if (known_kind(path) == kind) continue;
    throw UsageError(
        {.where = path, .given = "a file of another kind than " + paths.front(), .expected = "files of one kind"});
  }
  return kind;
}

Dataset read_tfrecord_table(Files files, const TableOptions& table) {
  TfrecordOptions options{.as_written = table.as_written};
  for (const std::string& column : table.columns) {
    const bool is_single = std::ranges::count(table.single_values, column) > 0;
    options.features.push_back({.name = column, .shape = is_single ? std::optional(Shape{}) : std::nullopt});
  }
  return read_tfrecord(std::move(files), std::move(options));
}

CsvOptions csv_options(TableOptions options) {
  return {.delimiter = options.delimiter,
          .header = options.names.empty(),
          .names = std::move(options.names),
          .columns = std::move(options.columns)};
}

void require_no_names(const std::string& path, const TableOptions& options) {
  if (options.names.empty() && !options.delimiter) return;
  throw UsageError(
      {.where = path,
       .given = std::string(options.delimiter ? "--delimiter" : "--column-names") + " for a file of this kind",
       .expected = "a .csv or .tsv file, the only kinds with this option"});
}

void require_text_alone(const std::string& path, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (column == "text") continue;
    throw UsageError({.where = path,
                      .given = "lines of text, without columns",
                      .expected = "a column '" + column + "'",
                      .fix = "give a table: .csv, .tsv, .jsonl, .parquet, ..."});
  }
}

// Reads the files; `options` has the columns' names in the files.
Dataset read(const std::vector<std::string>& paths, TableOptions options) {
  const FileKind kind = common_kind(paths, options.format);
  if (kind == FileKind::kCsv) return read_csv(paths, csv_options(std::move(options)));
  if (kind == FileKind::kTsv) return read_tsv(paths, csv_options(std::move(options)));
  require_no_names(paths.front(), options);
  if (kind == FileKind::kTfrecord) return read_tfrecord_table(paths, options);
  if (kind == FileKind::kParquet || kind == FileKind::kArrow) {
    return read_arrow(paths, {.columns = std::move(options.columns)});
  }
  if (kind == FileKind::kTar) return read_tar(paths, {.columns = std::move(options.columns)});
  if (kind != FileKind::kText) return read_jsonl(paths, {.columns = std::move(options.columns)});
  require_text_alone(paths.front(), options.columns);
  return read_text(paths);
}

using NamesByName = std::map<std::string, std::string>;

void require_distinct(const NamesByName& rename) {
  std::map<std::string, std::string> earlier;
  for (const auto& [name, given] : rename) {
    const auto [other, is_new] = earlier.emplace(given, name);
    if (is_new) continue;
    throw UsageError({.where = "read_table",
                      .given = "columns '" + other->second + "' and '" + name + "' renamed to '" + given + "'",
                      .expected = "different names"});
  }
}

// The requested columns that are renamed, from the names in the files to the new names. Sets `columns` to the names in
// the files.
NamesByName take_renamed(NamesByName rename, std::vector<std::string>& columns) {
  require_distinct(rename);
  if (columns.empty()) return rename;
  NamesByName wanted;
  for (std::string& column : columns) {
    const auto found = std::ranges::find(rename, column, &NamesByName::value_type::second);
    if (found == rename.end() && rename.contains(column)) {
      throw UsageError({.where = "read_table",
                        .given = "column '" + column + "', which is renamed to '" + rename.at(column) + "'",
                        .expected = "the new name, or no --rename-columns for it"});
    }
    if (found == rename.end()) continue;
    wanted.insert(*found);
    column = found->first;
  }
  return wanted;
}

// Replaces new names by the names in the files.
void use_names_of_files(std::vector<std::string>& columns, const NamesByName& rename) {
  for (std::string& column : columns) {
    const auto found = std::ranges::find(rename, column, &NamesByName::value_type::second);
    if (found != rename.end()) column = found->first;
  }
}

// Removes duplicates, as a task may use a column for two of its inputs.
std::vector<std::string> each_once(const std::vector<std::string>& columns) {
  std::vector<std::string> once;
  for (const std::string& column : columns) {
    if (std::ranges::find(once, column) == once.end()) once.push_back(column);
  }
  return once;
}

// Reads the files; `options` has the new names of columns.
Dataset read_renamed(const std::vector<std::string>& paths, TableOptions options) {
  use_names_of_files(options.single_values, options.rename);
  const NamesByName rename = take_renamed(options.rename, options.columns);
  options.columns = each_once(options.columns);
  Dataset rows = read(paths, std::move(options));
  return rename.empty() ? rows : rename_columns(rows, rename);
}

}  // namespace

std::string kind_extension(const std::string& path, const TableOptions& options) {
  return options.format.empty() ? kind_extension(path) : "." + options.format;
}

Dataset read_table(Files files, TableOptions options) {
  const std::vector<std::string> paths = table_files(files.paths());
  if (!options.columns.empty()) {
    options.columns.insert(options.columns.end(), options.extra_columns.begin(), options.extra_columns.end());
  }
  if (!MappedRows::are_made()) return read_renamed(paths, std::move(options));
  std::vector<std::string> columns = each_once(std::exchange(options.columns, {}));
  options.single_values.clear();  // of the rows that the function makes
  return map_rows(read_renamed(paths, std::move(options)), std::move(columns));
}

}  // namespace portatune::data
