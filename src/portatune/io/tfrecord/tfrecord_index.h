// Where the records of a TFRecord file begin, kept in a file beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/base/output_file.h"
#include "portatune/io/file/file.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"

namespace portatune::io {

/// "train.tfrecord.index"
std::string index_path(const std::string& file);

/// The index of a file. In the index file, little-endian: the byte offset of each record, 8 bytes; then 40 bytes:
///     8  number of records
///     8  bytes of all records with their frames: the file's size, or that of what a compressed file holds
///     8  the file's size
///     4  1 if the file is compressed, else 0
///     4  masked CRC32C of all before this
///     8  "PTFIDX01"
/// What it says of the file is compared with the file's size here, and with every record that is read by it: anybody
/// can write an index with the right checksum.
class TfrecordIndex {
 public:
  /// Nothing if there is no index.
  /// file_bytes  the file's size
  /// errors      DataError if it is damaged, was made for another file than the one there is now, or has records where
  ///             there can be none; IoError
  static std::optional<TfrecordIndex> open(const std::string& file, int64_t file_bytes);

  int64_t records() const { return records_; }
  /// Of record `record`, 0 <= record <= records().
  RecordPosition position(int64_t record) const;
  /// Compares it with what was found by reading the file: that a record of `file`, or its end, is at this place.
  /// errors  DataError if the index has it elsewhere, or has fewer records
  void require(const std::string& file, const RecordPosition& found) const;
  /// Whether records of the file can be read in any order.
  bool gives_access() const { return !is_compressed_; }

 private:
  explicit TfrecordIndex(MappedFile file) : file_(std::move(file)) {}
  void require_order(const std::string& file) const;
  std::string place_of(int64_t record) const;

  MappedFile file_;
  int64_t records_ = 0, end_ = 0;
  bool is_compressed_ = false;
};

/// Writes an index, record by record.
class TfrecordIndexWriter {
 public:
  /// file  the TFRecord file, beside which the index goes
  explicit TfrecordIndexWriter(const std::string& file) : out_(index_path(file)) {}

  void add(int64_t offset);
  /// All is durable, beside its place.
  void finish(int64_t end, int64_t file_bytes, bool is_compressed);
  void commit() { out_.commit(); }
  /// The index file, for AtomicFile::commit_together().
  AtomicFile& file() { return out_; }
  int64_t records() const { return records_; }

 private:
  void flush();

  AtomicFile out_;
  std::string buffer_;
  uint32_t crc_ = 0;
  int64_t records_ = 0;
};

/// Reads a TFRecord file from its beginning, checksums included, and writes its index.
/// returns  its records
/// errors   those of TfrecordReader; IoError
int64_t make_index(const std::string& file);

}  // namespace portatune::io
