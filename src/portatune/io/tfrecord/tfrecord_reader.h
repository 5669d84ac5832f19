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

/// Reads a file from its beginning, plain or compressed (gzip, zlib, zstd), which its content tells. Both checksums of
/// every record are compared. Memory is that of a block and of the longest record.
/// errors  DataError that names file, record and byte offset: a checksum that differs, a record of more than
///         `max_record_bytes`, a file that ends within one, damaged compressed data; NotFoundError, IoError
/// source  tensorflow.org/tutorials/load_data/tfrecord, "TFRecords format details"
class TfrecordReader {
 public:
  explicit TfrecordReader(std::string path, int64_t max_record_bytes = kMaxRecordBytes);
  /// Uncompressed bytes from elsewhere. `name` stands in errors.
  TfrecordReader(std::unique_ptr<ByteSource> bytes, std::string name, int64_t max_record_bytes = kMaxRecordBytes);

  /// The next record, valid until the reader is used again; nothing at the end. After the error of a record whose own
  /// checksum differs the next call goes on behind it; after others rest_is_lost().
  std::optional<std::string_view> next();
  /// Passes over the next `count` records, or as many as there are, and returns how many these were. Their own
  /// checksums are not looked at.
  int64_t skip(int64_t count);
  /// Goes on at a record further on.
  /// errors  UsageError for one that it has passed already
  void seek(RecordPosition position);

  const std::string& path() const { return path_; }
  /// Of the record that comes next.
  const RecordPosition& position() const { return position_; }
  bool is_compressed() const { return is_compressed_; }
  /// Whether an error was such that no further record can be found.
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
  size_t begin_ = 0, end_ = 0;  // of what is read but not passed yet, in the buffer
  RecordPosition position_;
  bool rest_is_lost_ = false;
};

/// The record that begins at `position` and ends, footer included, at `end`, of an uncompressed file, whichever record
/// was read before. It lies in `buffer`.
/// errors  DataError if no such record stands there, or it has more than `max_record_bytes`; IoError
std::string_view read_record(const RandomAccessFile& file, const std::string& path, const RecordPosition& position,
                             int64_t end, int64_t max_record_bytes, std::string& buffer);

}  // namespace portatune::io
