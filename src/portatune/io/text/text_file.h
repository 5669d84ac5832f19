// A UTF-8 text file read in blocks: the ground under the readers of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

/// Bytes of a file that are read but not consumed yet, in one piece, so that a record can be looked at as a whole.
/// The buffer grows only with the largest record. A byte order mark at the beginning is passed over, and compressed
/// files are decompressed (open_decompressed); offsets are those of the text then.
class TextFile {
 public:
  /// NotFoundError if there is no such file, IoError if it cannot be opened.
  explicit TextFile(std::string path);

  /// At least this many bytes after the unread ones may be read too (simdjson does), though they mean nothing.
  static constexpr size_t kPadding = 64;

  const std::string& path() const { return path_; }
  /// The unread bytes. They may be changed in place, and stay where they are until read_more().
  std::span<char> unread() { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Appends to the unread bytes; false at the end of the file.
  /// errors  those of ByteSource::read
  bool read_more();
  void consume(size_t bytes) { begin_ += bytes; }

  /// Where the unread bytes begin in the file, or in the text that a compressed one holds.
  int64_t offset() const { return buffer_offset_ + static_cast<int64_t>(begin_); }
  /// Goes on from there, which takes reading from the beginning in compressed files.
  /// errors  those of read_more()
  void seek(int64_t offset);

  /// BadRecordError with line and byte offset if the first `bytes` unread bytes, which begin on line `line`, are not
  /// UTF-8 or contain a NUL.
  void require_text(size_t bytes, int64_t line) const;

 private:
  void make_room();

  std::string path_;
  std::unique_ptr<ByteSource> bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t buffer_offset_ = 0;  // of buffer_[0] in the file
};

/// A place between two records of a text file.
struct TextPosition {
  int64_t offset = 0;  ///< in bytes
  int64_t line = 0;    ///< what the reader counts of lines there
};

/// Line ends in `text`: LF, CR LF, and a CR alone.
int64_t count_line_ends(std::span<const char> text);

/// "train.csv:17".
std::string file_and_line(const std::string& path, int64_t line);

}  // namespace portatune::io
