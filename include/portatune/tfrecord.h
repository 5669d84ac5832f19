// TFRecord files of tf.train.Example, as TensorFlow reads and writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/sources.h"
#include "portatune/tensor.h"

namespace portatune::data {

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
