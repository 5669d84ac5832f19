// The index of a TFRecord file: the offsets of its records, in a file next to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/base/files/output_file.h"
#include "portatune/io/file/file.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"

namespace portatune::io {

/// The path of an index: "train.tfrecord.index".
std::string index_path(const std::string& file);
/// The fix in the error about an index that does not fit its file: the command that builds another one.
std::string advice_to_index(const std::string& file);

/// The index of a file. The index file is little-endian: the byte offset of each record, 8 bytes each, then 40 bytes:
///     8  number of records
///     8  bytes of all framed records: the size of the file, or of its decompressed content
///     8  the file's size
///     4  1 if the file is compressed, else 0
///     4  masked CRC32C of all bytes before this field
///     8  "PTFIDX01"
/// The index is compared with the file's size on opening and with every record read through it, because anyone can
/// write an index with a valid checksum.
class TfrecordIndex {
 public:
  /// Opens the index; returns nothing if there is none.
  /// file_bytes  size of the file
  /// errors      DataError if the index is damaged, belongs to another version of the file, or contains impossible
  ///             offsets; IoError
  static std::optional<TfrecordIndex> open(const std::string& file, int64_t file_bytes);

  int64_t records() const { return records_; }
  /// The position of record `record`, 0 <= record <= records().
  RecordPosition position(int64_t record) const;
  /// Compares the index with a position found by reading `file`: that of a record or of the end.
  /// errors  DataError if the index has another offset or fewer records
  void require(const std::string& file, const RecordPosition& found) const;
  /// Returns whether records of the file can be read in any order.
  bool gives_access() const { return !is_compressed_; }

 private:
  explicit TfrecordIndex(MappedFile file) : file_(std::move(file)) {}
  void require_order(const std::string& file) const;
  std::string description_of(int64_t record) const;

  MappedFile file_;
  int64_t records_ = 0, end_ = 0;
  bool is_compressed_ = false;
};

/// Writes an index, record by record.
class TfrecordIndexWriter {
 public:
  /// file  the TFRecord file; the index is written next to it
  explicit TfrecordIndexWriter(const std::string& file) : out_(index_path(file)) {}

  void add(int64_t offset);
  /// Makes the index durable under a temporary name.
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

/// Reads a TFRecord file from its beginning, including checksums, and writes its index.
/// returns  the number of records
/// errors   as TfrecordReader; IoError
int64_t make_index(const std::string& file);

}  // namespace portatune::io
