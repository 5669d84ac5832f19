// Sources of data: the rows of files as datasets.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// One file or several, which are read one after the other: "train.csv", {"a.csv", "b.csv"}, "data/*.csv.gz", "data",
/// "https://host/a.csv", "s3://bucket/part-*.parquet", "gs://bucket/data/" (docs/sources.md, "Remote files").
/// Patterns and folders stand for the files that table_files() finds when a dataset is made of them. Tables of text may
/// be compressed: gzip and zstd are known by their first bytes.
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

/// Each pattern as the files that match it, sorted by their bytes: `*`, `?` and `[abc]` do not match a slash. Anything
/// else, and what exists under this very name, stays as it is.
/// errors  NotFoundError for a pattern that nothing matches; IoError for a folder that cannot be read; UsageError for a
///         pattern of https:// URLs
std::vector<std::string> matching_files(const std::vector<std::string>& words);

/// The same with each folder as the files in it that are tables, sorted, if these are of one kind. Files in folders
/// within it do not count, nor do .json and .txt beside other tables, as they often tell of these.
/// errors  also NotFoundError for a folder without tables, UsageError for one with several kinds of them
std::vector<std::string> table_files(const std::vector<std::string>& words);

/// What a name says of a file: ".csv" for "data/Train.CSV.gz". The extension in lower case, without that of a
/// compression, and of TFRecord files without -00003-of-00008; empty if there is none.
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
///         file without rows, a row of another length, a quote that is not closed, bytes that are not UTF-8, a field
///         of more than 16 MB, a column that is missing or named twice
Dataset read_csv(Files files, CsvOptions options = {});
/// As read_csv, with tabs between the fields and quotes as ordinary characters.
Dataset read_tsv(Files files, CsvOptions options = {});

struct JsonlOptions {
  std::vector<std::string> columns;  ///< the keys to read; empty: all
};

/// JSON Lines: an object a line. Strings become texts; so do numbers, true and false, lists and objects, as they are
/// spelled there (a task that expects a list parses it); null becomes an empty text, which is what a missing value is
/// in CSV. Empty lines are ignored.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         what is not a JSON object, a missing or doubled key, a line of more than 64 MB. NaN and Infinity are not
///         JSON.
Dataset read_jsonl(Files files, JsonlOptions options = {});

/// The lines of text files as rows with one column, "text"; LF and CR LF end a line.
/// errors  NotFoundError at once if a file is missing; DataError with file and line, when the line is reached, for
///         bytes that are not UTF-8, a line of more than 64 MB
Dataset read_text(Files files);

struct ConllOptions {
  std::string tokens_column = "tokens";  ///< what the column of the tokens is called
  std::string tags_column = "ner_tags";  ///< what the column of the tags is called; empty: tags are not read
};

/// Sentences in columns: a token a line with its tag in the last column (tabs or blanks between the columns), an empty
/// line after each sentence. An element is a sentence with two texts, the JSON lists of its tokens and of its tags.
/// Lines that begin with -DOCSTART- are passed over.
/// errors  NotFoundError at once if a file is missing; DataError with file and line for a file without sentences, a
///         line of another number of columns, a token without a tag if tags are read, bytes that are not UTF-8
/// source  Tjong Kim Sang and De Meulder 2003, the format of the CoNLL shared tasks
Dataset read_conll(Files files, ConllOptions options = {});

/// SQuAD's JSON files, versions 1 and 2: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers":
/// [{"text", "answer_start"}]}]}]}]}, or {"data": [{"id", "question", "context", "answers": {"text": [...],
/// "answer_start": [...]}}]}. An element is a question with the texts id, question, context and, if wanted, answers, in
/// JSON as in the second form. The row of its origin is its number, from 1.
/// answers  whether answers are read; a question without them has none, as where "is_impossible" is true
/// errors   NotFoundError at once if a file is missing; DataError with the file for what is not such JSON, for a file
///          without questions or of more than 4 GB
Dataset read_squad(Files files, bool answers = true);

struct ImageFolderOptions {
  std::string image_column = "image";  ///< what the column of the paths is called
  std::string label_column = "label";  ///< what the column of the classes is called; empty: folders are no classes
};

/// Images of a folder, without reading them. An element has two texts, the path of a file and the name of the folder
/// that it is in, directly below `folder`; sorted by path. What begins with a dot, or has not the extension of an
/// image, is passed over. Where folders are no classes images may stand anywhere.
/// errors  at once: NotFoundError, IoError; DataError if there are no images or one is in no class
Dataset read_image_folder(const std::string& folder, ImageFolderOptions options = {});

struct ArrowOptions {
  std::vector<std::string> columns;  ///< the columns to read, others are passed over unread; empty: all
};

/// Parquet files, and Arrow's own: IPC files and streams, such as `datasets` keeps (data-00000-of-00001.arrow). Texts
/// stay as they are. As in read_jsonl numbers, true and false become their spelling in JSON, lists, structs and maps
/// JSON, and null an empty text; the names of a dictionary, dates and times become texts, too. Bytes stay bytes, and so
/// do images as `datasets` has them (a struct of bytes and path; without bytes, the path). An example's origin has the
/// number of its row, from 1. Needs the plug-in libportatune_arrow.so.
/// errors  at once: NotFoundError; DeviceError without the plug-in; DataError for what is no such file. When it is
///         reached: DataError for a missing column, one of a type without a text (unions), a damaged batch,
///         one that needs more than 1 GB
Dataset read_arrow(Files files, ArrowOptions options = {});

struct TableOptions {
  std::vector<std::string> columns;           ///< the columns to read; empty: all
  std::vector<std::string> extra_columns;     ///< to read beside `columns`, where these are chosen
  std::vector<std::string> single_values;     ///< of TFRecords: those of the columns that must have exactly one value
  std::vector<std::string> names;             ///< the columns' names, for .csv and .tsv files without a header
  std::optional<char> delimiter;              ///< between the fields of .csv and .tsv files: see CsvOptions
  std::map<std::string, std::string> rename;  ///< from a name in the files to the one that rows have, and `columns`
  bool as_written = false;                    ///< of TFRecords: see TfrecordOptions
  std::string format;  ///< "csv", "tsv", "jsonl" or "txt"; overrides the names of the files unless empty
};

/// kind_extension(), or that of the format, if the options have one.
std::string kind_extension(const std::string& path, const TableOptions& options);

/// Reads by the kind that the files have in common (kind_extension): .csv, .tsv, or .jsonl, .ndjson and .json (which
/// must hold JSON Lines), or .txt, which has the one column "text", or .parquet
/// and .arrow, or .tfrecord and .tfrecords (also with -00003-of-00008 after it), which read_tfrecord reads.
/// errors  those of table_files() and of the readers; UsageError for another extension, or for options that files of
/// this kind do not have
Dataset read_table(Files files, TableOptions options = {});

}  // namespace portatune::data
