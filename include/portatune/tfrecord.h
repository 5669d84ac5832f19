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

/// A feature to read, and what becomes of it.
struct TfrecordFeature {
  std::string name;                 ///< in the file
  std::string column = {};          ///< what its column is called; empty: as the feature
  std::optional<DType> dtype = {};  ///< int64, int32 or float32: always an array; absent: see read_tfrecord
  /// Of the array; absent: one axis of any length. Shape{} demands exactly one value, and without a dtype makes a text
  /// of it: tf.io.FixedLenFeature([], tf.string).
  std::optional<Shape> shape = {};
  /// The column where an example has no such feature, or one without a list; absent: an error.
  std::optional<Column> otherwise = {};
};

struct TfrecordOptions {
  std::vector<TfrecordFeature> features;  ///< to read, in this order; empty: all, by their names
  /// Files that are read at a time, each by a thread. With more than one their examples come in turns, one of each
  /// file; where a file ends, the next takes its place. What tf.data.TFRecordDataset does.
  int num_parallel_reads = 1;
  /// Whether that order is kept whatever the threads do; otherwise examples come as soon as they are read.
  bool deterministic = true;
  int64_t max_record_bytes = int64_t{1} << 30;  ///< longer records are refused
  /// Whether features keep their kind, so that they can be written again: one number is an array, too, and several or
  /// no bytes are a list of texts.
  bool as_written = false;
};

/// The examples of TFRecord files, plain or compressed (gzip, zlib), which their content tells. Every checksum is
/// compared. An example's origin is the file and the number of its record, from 1. Unless a dtype says that it is an
/// array,
///     bytes             become a text, whatever they are; several become a JSON list of texts
///     a single number   becomes a text, as it is spelled in JSON: "3", "0.5"
///     several numbers   become an array [n], int64 or float32, as does a list without any
/// A file may have an index beside it (index_tfrecord). If all have, none is compressed and num_parallel_reads is 1,
/// examples can be had in any order; a file that has one is not read through to pass over its records.
/// Files without records are fine, but not if there is no record at all, unless bad rows are skipped.
/// errors  at once: UsageError if there are no files, for a dtype that is none of the three or an array's shape without;
///         NotFoundError if a file is missing; DataError for an index that is damaged or of another file.
///         When it is reached, DataError with file, record and byte offset: a checksum that differs, a file that ends
///         within a record, a record that is too long or no tf.train.Example, a feature that is missing, of another
///         kind, or has another number of values than its shape, an integer that its dtype cannot hold; no records in
///         any file. IoError
Dataset read_tfrecord(Files files, TfrecordOptions options = {});

struct TfrecordWriterOptions {
  int64_t shards = 1;  ///< files, between which examples take turns; reading them in parallel gives the order again
  bool gzip = false;
  bool index = true;  ///< whether each file gets an index beside it
};

/// Writes TFRecord files of tf.train.Example. Texts become bytes, arrays lists of int64 or float in row-major order,
/// lists of texts lists of bytes. Features are written in the order of their names. No file appears before all are
/// written.
///     TfrecordWriter writer("train-{shard:05d}-of-{shards:05d}.tfrecord", {.shards = 8});
///     for (const Example& example : dataset.iterate()) writer.write(example);
///     writer.commit();
class TfrecordWriter {
 public:
  /// pattern  the files' path; {shard} and {shards}, or {shard:05d}, stand for numbers
  /// errors   UsageError for several shards without {shard}, or anything else in braces; IoError, NotFoundError if the
  ///          folder is missing
  explicit TfrecordWriter(const std::string& pattern, TfrecordWriterOptions options = {});
  ~TfrecordWriter();

  /// errors  DataError for an array of bool or uint64; UsageError for a record of more than 1 GB; IoError
  void write(const Example& example);
  /// Puts the files in place of those that are there, all or none, once all of them are durable. If the process dies
  /// in the midst of that, the next TfrecordWriter for these files finishes it.
  /// errors  IoError
  void commit();

  int64_t written() const;                        ///< examples
  const std::vector<std::string>& files() const;  ///< in the order of the shards

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a TFRecord file through and writes an index of its records beside it: FILE.index, 8 bytes a record.
/// returns  the number of its records
/// errors   those of reading it; IoError
int64_t index_tfrecord(const std::string& file);

}  // namespace portatune::data
