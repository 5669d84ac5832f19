// Which reader a file is for, by its name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace portatune::data {

enum class FileKind { kCsv, kTsv, kJsonl, kJson, kText, kConll, kParquet, kArrow, kTfrecord };

/// Nothing for an extension that no reader has.
std::optional<FileKind> kind_of(const std::string& path);

/// ".csv, .tsv, ...": what read_table() takes.
std::string table_extensions();

/// The files of a folder that are tables, sorted, where they are of one kind. Those in folders within it, hidden ones
/// and those of other kinds do not count; .json and .txt count only if there is nothing else, as they often tell of the
/// others (dataset_info.json, README.txt).
/// errors  NotFoundError if there are none; UsageError if there are several kinds; IoError
std::vector<std::string> tables_in(const std::string& folder);

/// Whether a name is that of a picture, of whatever kind.
bool is_image_name(const std::string& path);

/// Whether a folder is one of tables: there are such files directly in it (.json and .txt do not count), and neither
/// pictures nor folders.
/// errors  IoError
bool holds_tables(const std::string& folder);

}  // namespace portatune::data
