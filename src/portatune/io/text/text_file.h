// A UTF-8 text file, read in blocks. The readers of tables use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

/// The unconsumed bytes of a file in contiguous memory, so that a record can be parsed as a whole. The buffer grows
/// only with the largest record. Skips a byte order mark at the beginning and decompresses compressed files
/// (open_decompressed); offsets then refer to the decompressed text.
class TextFile {
 public:
  /// errors  NotFoundError if the file does not exist; IoError if it cannot be opened
  explicit TextFile(std::string path);

  /// At least this many bytes after the unread bytes may be read too, as simdjson does. Their values are arbitrary.
  static constexpr size_t kPadding = 64;

  const std::string& path() const { return path_; }
  /// The unread bytes. They may be changed in place. Their addresses are stable until read_more().
  std::span<char> unread() { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Appends to the unread bytes; returns false at the end of the file.
  /// errors  as ByteSource::read()
  bool read_more();
  void consume(size_t bytes) { begin_ += bytes; }

  /// Offset of the unread bytes in the file, or in the decompressed text.
  int64_t offset() const { return buffer_offset_ + static_cast<int64_t>(begin_); }
  /// Continues from an offset. For compressed files this reads again from the beginning.
  /// errors  as read_more()
  void seek(int64_t offset);

  /// Throws BadRecordError with line and byte offset if the first `bytes` unread bytes, which begin on line `line`, are
  /// not UTF-8 or contain a NUL.
  void require_text(size_t bytes, int64_t line) const;

 private:
  void make_room();

  std::string path_;
  std::unique_ptr<ByteSource> bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t buffer_offset_ = 0;  // offset of buffer_[0] in the file
};

/// A position between two records of a text file.
struct TextPosition {
  int64_t offset = 0;  ///< in bytes
  int64_t line = 0;    ///< line counter of the reader
};

/// Number of line ends in `text`: LF, CR LF, or a CR alone.
int64_t count_line_ends(std::span<const char> text);

/// File and line number: "train.csv:17".
std::string file_and_line(const std::string& path, int64_t line);

}  // namespace portatune::io
