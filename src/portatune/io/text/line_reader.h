// Lines of a text file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "portatune/io/text/text_file.h"

namespace portatune::io {

/// Reads a file line by line, in memory for one line. LF ends a line, and so does the end of the file after other
/// bytes.
class LineReader {
 public:
  /// expected  description of a valid line for errors: "one JSON object on each line"
  LineReader(std::string path, int64_t max_line_bytes, std::string expected);

  /// Moves to the next line; returns false at the end of the file.
  /// errors  BadRecordError with file and line: more than `max_line_bytes`, bytes that are not UTF-8, NUL
  bool next();
  /// The line without its LF, valid until next(). It may be changed in place, and TextFile::kPadding bytes after it may
  /// be read.
  std::span<char> text() const { return text_; }
  /// The number of the line, from 1.
  int64_t number() const { return number_; }
  const std::string& path() const { return file_.path(); }
  /// The position after the line.
  TextPosition position() const { return {file_.offset() + static_cast<int64_t>(bytes_), number_}; }
  /// Continues from a position.
  void seek(TextPosition position);
  /// File and line number: "train.jsonl:17".
  std::string where() const { return file_and_line(path(), number_); }

 private:
  std::optional<size_t> scan();
  void skip_line();

  TextFile file_;
  size_t max_bytes_;
  std::string expected_;
  size_t bytes_ = 0;       // bytes of the line with its LF
  bool too_long_ = false;  // whether the rest of an overlong line is unread
  int64_t number_ = 0;
  std::span<char> text_;
};

}  // namespace portatune::io
