// Readers: the rows of files as datasets.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// One or several files, which are read one after the other: "train.csv", {"a.csv", "b.csv"}, "data/*.csv.gz", "data",
/// "https://host/a.csv", "s3://bucket/part-*.parquet", "gs://bucket/data/" (docs/sources.md, "Remote files").
/// A reader expands patterns and folders by table_files(). Tables of text may be compressed: gzip and zstd are
/// recognised by their first bytes.
class Files {
 public:
  Files(const char* path) : paths_{path} {}
  Files(std::string path) : paths_{std::move(path)} {}
  Files(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  Files(std::initializer_list<std::string> paths) : paths_(paths) {}

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

/// Replaces each pattern by the files that match it, sorted by bytes: `*`, `?` and `[abc]` do not match a slash. Other
/// words, and names of existing files, stay unchanged.
/// errors  NotFoundError for a pattern without a match; IoError for a folder that cannot be read; UsageError for a
///         pattern of https:// URLs
std::vector<std::string> matching_files(const std::vector<std::string>& words);

/// As matching_files(); also replaces each folder by the tables directly in it, sorted, if all are of one kind. Inner
/// folders do not count; neither do .json and .txt files beside other tables, as they often describe those.
/// errors  also NotFoundError for a folder without tables, UsageError for a folder with several kinds of tables
std::vector<std::string> table_files(const std::vector<std::string>& words);

/// The kind of a file by its name: ".csv" for "data/Train.CSV.gz". The extension in lower case, without that of a
/// compression, and for TFRecord files without -00003-of-00008; empty if there is none.
std::string kind_extension(const std::string& path);

struct CsvOptions {
  std::optional<char> delimiter;     ///< default: ',' in read_csv, tab in read_tsv
  std::optional<bool> quoting;       ///< whether '"' encloses fields; default: yes in read_csv, no in read_tsv
  bool header = true;                ///< whether the first line names the columns
  std::vector<std::string> names;    ///< the columns' names, for files without a header
  std::vector<std::string> columns;  ///< the columns to read; empty: all
};

/// The rows of CSV files (RFC 4180, UTF-8). All values stay texts, so "007" is "007". Empty lines are ignored.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for a
///         file without rows, a row with another number of fields, an unclosed quote, bytes that are not UTF-8, a field
///         of more than 16 MB, a missing column, or two columns of one name
Dataset read_csv(Files files, CsvOptions options = {});
/// As read_csv, with tab as the delimiter and quotes as ordinary characters.
Dataset read_tsv(Files files, CsvOptions options = {});

struct JsonlOptions {
  std::vector<std::string> columns;  ///< the keys to read; empty: all
};

/// JSON Lines: one object on each line. Strings become texts. Numbers, booleans, lists and objects become texts as they
/// are spelled in the file (a task that expects a list parses it). null becomes an empty text, like a missing value in
/// CSV. Empty lines are ignored.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         a line that is not a JSON object, a missing or doubled key, a line of more than 64 MB. NaN and Infinity are
///         not JSON.
Dataset read_jsonl(Files files, JsonlOptions options = {});

/// The lines of text files as rows with one column, "text"; LF and CR LF end a line.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         bytes that are not UTF-8, a line of more than 64 MB
Dataset read_text(Files files);

struct ConllOptions {
  std::string tokens_column = "tokens";  ///< name of the column of tokens
  std::string tags_column = "ner_tags";  ///< name of the column of tags; empty: tags are not read
};

/// Sentences in columns: one token on each line with its tag in the last column (tabs or blanks between the columns),
/// an empty line after each sentence. An element is a sentence with two texts, the JSON lists of its tokens and tags.
/// Lines that begin with -DOCSTART- are skipped.
/// errors  NotFoundError at once if a file is missing; DataError with file and line for a file without sentences, a
///         line with another number of columns, a token without a tag if tags are read, bytes that are not UTF-8
/// source  Tjong Kim Sang and De Meulder 2003, the format of the CoNLL shared tasks
Dataset read_conll(Files files, ConllOptions options = {});

/// SQuAD's JSON files, versions 1 and 2: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers":
/// [{"text", "answer_start"}]}]}]}]}, or {"data": [{"id", "question", "context", "answers": {"text": [...],
/// "answer_start": [...]}}]}. An element is a question with the texts id, question, context and, if requested, answers,
/// in JSON as in the second form. The row of its origin is its number, from 1.
/// answers  whether answers are read; a question without the key has no answers, as if "is_impossible" were true
/// errors   NotFoundError at once if a file is missing; DataError with the file for other JSON, for a file without
///          questions or of more than 4 GB
Dataset read_squad(Files files, bool answers = true);

struct ImageFolderOptions {
  std::string image_column = "image";  ///< name of the column of paths
  std::string label_column = "label";  ///< name of the column of classes; empty: folders are not classes
};

/// The images of a folder, not read yet. An element has two texts: the path of a file, and its class, which is the name
/// of the folder directly below `folder`; sorted by path. Names that begin with a dot, and files without the extension
/// of an image, are skipped. Without classes, images may be anywhere below `folder`.
/// errors  at once: NotFoundError, IoError; DataError if there are no images or one is in no class
Dataset read_image_folder(const std::string& folder, ImageFolderOptions options = {});

struct ArrowOptions {
  std::vector<std::string> columns;  ///< the columns to read; others are not read; empty: all
};

/// Parquet files, and Arrow's IPC files and streams, such as `datasets` writes (data-00000-of-00001.arrow). Texts stay
/// unchanged. As in read_jsonl, numbers and booleans become their JSON spelling, lists, structs and maps become JSON,
/// and null an empty text; dictionary values, dates and times also become texts. Bytes stay bytes, and so do the images
/// of `datasets` (a struct of bytes and path; the path if there are no bytes). The row of an example's origin is its
/// number, from 1. Needs the plug-in libportatune_arrow.so.
/// errors  at once: NotFoundError; DeviceError without the plug-in; DataError for a file of another format. When the
///         row is reached: DataError for a missing column, a column of a type without a text (unions), a damaged batch,
///         a batch that needs more than 1 GB
Dataset read_arrow(Files files, ArrowOptions options = {});

struct TableOptions {
  std::vector<std::string> columns;           ///< the columns to read; empty: all
  std::vector<std::string> extra_columns;     ///< columns to read beside `columns`, if that is not empty
  std::vector<std::string> single_values;     ///< columns of TFRecords that must have exactly one value
  std::vector<std::string> names;             ///< the columns' names, for .csv and .tsv files without a header
  std::optional<char> delimiter;              ///< of .csv and .tsv files: see CsvOptions
  std::map<std::string, std::string> rename;  ///< from names in the files to names in the rows and in `columns`
  bool as_written = false;                    ///< of TFRecords: see TfrecordOptions
  std::string format;  ///< "csv", "tsv", "jsonl" or "txt"; overrides the names of the files unless empty
};

/// kind_extension(), or "." and the format if the options name one.
std::string kind_extension(const std::string& path, const TableOptions& options);

/// Reads files by their common kind (kind_extension): .csv; .tsv; .jsonl, .ndjson and .json (which must hold JSON
/// Lines); .txt, with the one column "text"; .parquet and .arrow; .tfrecord and .tfrecords (also followed by
/// -00003-of-00008), which read_tfrecord reads.
/// errors  those of table_files() and of the readers; UsageError for another extension, or for options that do not
///         apply to files of this kind
Dataset read_table(Files files, TableOptions options = {});

}  // namespace portatune::data
