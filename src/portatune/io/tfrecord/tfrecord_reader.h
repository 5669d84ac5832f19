// Records of TFRecord files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/compress/byte_source.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"

namespace portatune::io {

/// Reads a file from its beginning. Detects compression (gzip, zlib, zstd) by content. Checks both checksums of every
/// record. Needs memory for a block and the longest record.
/// errors  DataError with file, record and byte offset: a wrong checksum, a record of more than `max_record_bytes`, a
///         file that ends within a record, damaged compressed data; NotFoundError, IoError
/// source  tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format details"
class TfrecordReader {
 public:
  explicit TfrecordReader(std::string path, int64_t max_record_bytes = kMaxRecordBytes);
  /// Reads uncompressed bytes from another source. Errors contain `name`.
  TfrecordReader(std::unique_ptr<ByteSource> bytes, std::string name, int64_t max_record_bytes = kMaxRecordBytes);

  /// The next record, valid until the next call; nothing at the end. After the error of a wrong record checksum the
  /// next call continues with the next record; after other errors see rest_is_lost().
  std::optional<std::string_view> next();
  /// Skips the next `count` records, or as many as there are, and returns their number. Does not check their own
  /// checksums.
  int64_t skip(int64_t count);
  /// Continues from a later record.
  /// errors  UsageError for an earlier record
  void seek(RecordPosition position);

  const std::string& path() const { return path_; }
  /// The position of the next record.
  const RecordPosition& position() const { return position_; }
  bool is_compressed() const { return is_compressed_; }
  /// Returns whether an error made it impossible to find further records.
  bool rest_is_lost() const { return rest_is_lost_; }

 private:
  void open();
  std::optional<int64_t> next_length();
  int64_t require_length(uint64_t length);
  std::optional<int64_t> bytes_left() const;
  int64_t unread() const { return static_cast<int64_t>(end_ - begin_); }
  bool has(int64_t bytes) { return unread() >= bytes || read_until(bytes); }
  bool read_until(int64_t bytes);
  void make_room(int64_t bytes);
  void pass(int64_t bytes);
  [[noreturn]] void lose_rest(const DataError& error);

  std::string path_;
  int64_t max_record_bytes_;
  std::unique_ptr<ByteSource> source_;
  bool is_compressed_ = false;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // range of the unread bytes in the buffer
  RecordPosition position_;
  bool rest_is_lost_ = false;
};

/// Reads the record between the offsets `position` and `end`, footer included, of an uncompressed file. Independent of
/// earlier reads. The result is in `buffer`.
/// errors  DataError if there is no such record, or it has more than `max_record_bytes`; IoError
std::string_view read_record(const RandomAccessFile& file, const std::string& path, const RecordPosition& position,
                             int64_t end, int64_t max_record_bytes, std::string& buffer);

}  // namespace portatune::io
