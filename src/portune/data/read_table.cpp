#include <algorithm>
#include <filesystem>

#include "portune/data.h"
#include "portune/error.h"
#include "portune/sources.h"
#include "portune/tfrecord.h"

namespace portune::data {
namespace {

// The extension of all files; see read_table.
std::string common_extension(const std::vector<std::string>& paths) {
  if (paths.empty()) throw UsageError({.where = "read_table", .given = "no files", .expected = "at least one"});
  const std::string extension = std::filesystem::path(paths.front()).extension();
  for (const std::string& path : paths) {
    if (std::filesystem::path(path).extension() == extension) continue;
    throw UsageError({.where = "read_table",
                      .given = "'" + paths.front() + "' and '" + path + "'",
                      .expected = "files of one kind"});
  }
  return extension;
}

// train.tfrecord, train.tfrecords, each with .gz and as TensorFlow numbers them: train.tfrecord-00003-of-00008.
bool is_tfrecord(std::string path) {
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  std::string extension = std::filesystem::path(path).extension();
  extension.resize(std::min(extension.size(), extension.find('-')));
  return extension == ".tfrecord" || extension == ".tfrecords";
}

Dataset read_tfrecord_table(Files files, const std::vector<std::string>& columns) {
  TfrecordOptions options;
  for (const std::string& column : columns) options.features.push_back({.name = column});
  return read_tfrecord(std::move(files), std::move(options));
}

CsvOptions csv_options(TableOptions options) {
  return {.header = options.names.empty(),
          .names = std::move(options.names),
          .columns = std::move(options.columns),
          .skip_ragged_rows = options.skip_ragged_rows};
}

void require_no_csv_options(const std::string& path, const TableOptions& options) {
  if (options.names.empty() && !options.skip_ragged_rows) return;
  throw UsageError(
      {.where = "read_table",
       .given = std::string(options.names.empty() ? "ragged rows to skip" : "names of columns") + " for '" + path + "'",
       .expected = "a .csv or .tsv file, which alone has such"});
}

}  // namespace

Dataset read_table(Files files, TableOptions options) {
  if (!files.paths().empty() && std::ranges::all_of(files.paths(), is_tfrecord)) {
    require_no_csv_options(files.paths().front(), options);
    return read_tfrecord_table(std::move(files), options.columns);
  }
  const std::string extension = common_extension(files.paths());
  if (extension == ".csv") return read_csv(std::move(files), csv_options(std::move(options)));
  if (extension == ".tsv") return read_tsv(std::move(files), csv_options(std::move(options)));
  require_no_csv_options(files.paths().front(), options);
  if (extension == ".jsonl" || extension == ".ndjson" || extension == ".json") {
    return read_jsonl(std::move(files), {.columns = std::move(options.columns)});
  }
  if (extension == ".txt") {
    for (const std::string& column : options.columns) {
      if (column == "text") continue;
      throw UsageError({.where = "read_table",
                        .given = "a column '" + column + "' of '" + files.paths().front() + "'",
                        .expected = "the column 'text', the only one of a .txt file"});
    }
    return read_text(std::move(files));
  }
  if (extension.empty() && !std::filesystem::exists(files.paths().front())) {
    throw NotFoundError({.where = files.paths().front(), .given = "no such file or folder"});
  }
  throw UsageError({.where = "read_table",
                    .given = "'" + files.paths().front() + "'",
                    .expected = "a file that ends in .csv, .tsv, .jsonl, .ndjson, .json, .txt or .tfrecord"});
}

}  // namespace portune::data
