// Reading of files to rows: tables, text, TFRecord; and bad rows that are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/tensor.h"

namespace portatune::data {

/// A skipped row.
struct BadRow {
  std::string where;   ///< file and line or record: "train.csv:17"
  std::string reason;  ///< on one line: "3 fields, expected 2 fields, as on line 1"
};

/// The bad rows that were skipped, and the maximal number of them: see Dataset::skip_bad_rows(). A row that is read
/// again, such as in the next epoch, counts once. Thread-safe.
class BadRows {
 public:
  /// limit    maximal number of skipped rows; one more is an error
  /// on_skip  called once for each row, when it is skipped; one call at a time
  explicit BadRows(int64_t limit, std::function<void(const BadRow&)> on_skip = {});

  int64_t limit() const { return limit_; }
  /// The rows skipped so far, in the order in which they were read.
  std::vector<BadRow> rows() const;
  int64_t count() const;

 private:
  friend struct BadRowsAccess;  // for stages

  /// Adds a row that an earlier run skipped and reported.
  void add_known(BadRow row);
  /// Skips a row; throws DataError that names it if there are too many.
  /// is_identified  whether `where` identifies the row, so that it is recognised when it is read again
  void skip(BadRow row, bool is_identified = true);

  const int64_t limit_;
  const std::function<void(const BadRow&)> on_skip_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<BadRow> rows_;
  std::set<std::string> known_;
};

/// One or several files, which are read one after the other: "train.csv", {"a.csv", "b.csv"}, "data/*.csv.gz", "data",
/// "https://host/a.csv", "s3://bucket/part-*.parquet", "gs://bucket/data/" (docs/input/sources.md, "Remote files").
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
/// Whether a name ends in .gz or .zst.
bool is_compressed_name(const std::string& path);

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

struct AudioFolderOptions {
  std::string audio_column = "audio";  ///< name of the column of paths
  std::string label_column = "label";  ///< name of the column of classes; empty: folders are not classes
};

/// The audio files of a folder, as read_image_folder() lists images.
/// errors  as read_image_folder()
Dataset read_audio_folder(const std::string& folder, AudioFolderOptions options = {});

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

struct TarOptions {
  std::vector<std::string> columns;  ///< the columns to read; others are not read; empty: all
};

/// The rows of WebDataset's tar archives, which are not compressed. Consecutive files whose names are equal up to the
/// first dot are a row; what follows is the name of a column, and the content its bytes: "0001.wav" and "0001.cls" are
/// the columns "wav" and "cls". "__key__" is the name before the dot. Names that begin with a dot are skipped. The row
/// of an example's origin is its number, from 1.
/// errors  NotFoundError at once if a file is missing; DataError with the row, when it is reached, for a missing
///         column; DataError with the position for a damaged or truncated archive
Dataset read_tar(Files files, TarOptions options = {});

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
/// Lines); .txt, with the one column "text"; .parquet and .arrow; .tar; .tfrecord and .tfrecords (also followed by
/// -00003-of-00008), which read_tfrecord reads.
/// errors  those of table_files() and of the readers; UsageError for another extension, or for options that do not
///         apply to files of this kind
Dataset read_table(Files files, TableOptions options = {});

/// A feature to read, and the column that it becomes.
struct TfrecordFeature {
  std::string name;                 ///< in the file
  std::string column = {};          ///< name of the column; empty: the name of the feature
  std::optional<DType> dtype = {};  ///< int64, int32 or float32: always an array; absent: see read_tfrecord
  /// Shape of the array; absent: one axis of any length. Shape{} requires exactly one value, which without a dtype
  /// becomes a text: tf.io.FixedLenFeature([], tf.string).
  std::optional<Shape> shape = {};
  /// Value of the column if an example lacks the feature or its list; absent: an error.
  std::optional<Column> otherwise = {};
};

struct TfrecordOptions {
  std::vector<TfrecordFeature> features;  ///< the features to read, in this order; empty: all, by their names
  /// Number of files read at a time, each by a thread. With several, examples alternate between the files; when a file
  /// ends, the next one replaces it. The order is that of tf.data.TFRecordDataset.
  int num_parallel_reads = 1;
  /// True if that order is independent of the threads; false: examples come as soon as they are read.
  bool deterministic = true;
  int64_t max_record_bytes = int64_t{1} << 30;  ///< longer records are an error
  /// True if features keep their kind, so that they can be written again: one number is also an array, and several or
  /// no bytes are a list of texts.
  bool as_written = false;
};

/// The examples of TFRecord files, plain or compressed (gzip, zlib), which is recognised by their content. Every
/// checksum is compared. An example's origin is the file and the number of its record, from 1. Features without a dtype
/// become columns by these rules:
///     bytes             a text with these bytes; several: a JSON list of texts
///     a single number   a text with its JSON spelling: "3", "0.5"
///     several numbers   an array [n], int64 or float32; likewise an empty list of numbers
/// A file may have an index beside it (index_tfrecord), which allows its records to be skipped without reading them. If
/// all files have an index, none is compressed and num_parallel_reads is 1, the dataset has random access.
/// Single files may have no records. No record in all files together is an error, unless bad rows are skipped.
/// errors  at once: UsageError if there are no files, for another dtype than these three, or for the shape of an array
///         without a dtype; NotFoundError if a file is missing; DataError for an index that is damaged or of another
///         file.
///         When the record is reached, DataError with file, record and byte offset: a checksum that differs, a file
///         that ends within a record, a record that is too long or not a tf.train.Example, a feature that is missing,
///         of another kind, or has another number of values than its shape, an integer that its dtype cannot hold; no
///         records in any file. IoError
Dataset read_tfrecord(Files files, TfrecordOptions options = {});

struct TfrecordWriterOptions {
  int64_t shards = 1;  ///< files among which examples alternate; reading them in parallel restores the order
  bool gzip = false;
  bool index = true;  ///< whether each file gets an index beside it
};

/// Writes TFRecord files of tf.train.Example. Texts become bytes, arrays become lists of int64 or float in row-major
/// order, lists of texts become lists of bytes. Features are written in the order of their names. No file appears
/// before all are written.
///     TfrecordWriter writer("train-{shard:05d}-of-{shards:05d}.tfrecord", {.shards = 8});
///     for (const Example& example : dataset.iterate()) writer.write(example);
///     writer.commit();
class TfrecordWriter {
 public:
  /// pattern  path of the files; {shard} and {shards}, or {shard:05d}, are replaced by numbers
  /// errors   UsageError for several shards without {shard}, or another name in braces; IoError, NotFoundError if the
  ///          folder is missing
  explicit TfrecordWriter(const std::string& pattern, TfrecordWriterOptions options = {});
  ~TfrecordWriter();

  /// errors  DataError for an array of bool or uint64; UsageError for a record of more than 1 GB; IoError
  void write(const Example& example);
  /// Replaces the existing files, all or none, once all new files are durable. If the process dies during this, the
  /// next TfrecordWriter for these files completes it.
  /// errors  IoError
  void commit();

  int64_t written() const;                        ///< examples
  const std::vector<std::string>& files() const;  ///< in the order of the shards

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a TFRecord file to its end and writes an index of its records beside it: FILE.index, 8 bytes for each record.
/// returns  the number of records
/// errors   those of read_tfrecord; IoError
int64_t index_tfrecord(const std::string& file);

}  // namespace portatune::data
