// The kinds of data files, by their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace portatune::data {

enum class FileKind { kCsv, kTsv, kJsonl, kJson, kText, kConll, kParquet, kArrow, kTar, kTfrecord };

/// The kind of a file by its extension; nullopt if no reader has this extension.
std::optional<FileKind> kind_of(const std::string& path);

/// ".csv, .tsv, ...": the extensions that read_table() accepts.
std::string table_extensions();

/// Returns whether a reader of tables has the extension of a file.
bool is_table(const std::string& path);

/// The tables among files, if they are of one kind. Hidden files and files of other kinds do not count; .json and .txt
/// count only if there are no other tables, as they often describe those (dataset_info.json, README.txt).
/// where   the folder of the files, for errors
/// errors  NotFoundError if there are none; UsageError if there are several kinds
std::vector<std::string> tables_among(const std::vector<std::string>& files, const std::string& where);

/// The tables directly in a folder, sorted: see tables_among().
/// errors  those of tables_among(); IoError
std::vector<std::string> tables_in(const std::string& folder);

/// True if a name has the extension of an image of any format.
bool is_image_name(const std::string& path);
/// True if a name has the extension of an audio file of any format.
bool is_audio_name(const std::string& path);

/// True if a folder directly contains tables (.json and .txt do not count), and neither images, audio files nor
/// folders.
/// errors  IoError
bool holds_tables(const std::string& folder);

}  // namespace portatune::data
