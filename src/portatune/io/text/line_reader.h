// The lines of a text file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "portatune/io/text/text_file.h"

namespace portatune::io {

/// Reads a file line by line, in the memory of a line. LF ends a line, and so does the end of the file where something
/// stands before it.
class LineReader {
 public:
  /// expected  what errors say of lines: "one JSON object on each line"
  LineReader(std::string path, int64_t max_line_bytes, std::string expected);

  /// Goes to the next line; false at the end of the file.
  /// errors  BadRecordError with file and line: more than `max_line_bytes`, bytes that are not UTF-8, NUL
  bool next();
  /// The line without its LF, valid until next(). It may be changed in place, and TextFile::kPadding bytes behind it be
  /// read.
  std::span<char> text() const { return text_; }
  /// Counted from 1.
  int64_t number() const { return number_; }
  const std::string& path() const { return file_.path(); }
  /// The end of the line.
  TextPosition position() const { return {file_.offset() + static_cast<int64_t>(bytes_), number_}; }
  /// Goes on from there.
  void seek(TextPosition position);
  /// "train.jsonl:17".
  std::string where() const { return file_and_line(path(), number_); }

 private:
  std::optional<size_t> scan();
  void pass_over_line();

  TextFile file_;
  size_t max_bytes_;
  std::string expected_;
  size_t bytes_ = 0;       // of the line, with its LF
  bool too_long_ = false;  // the line's end has not been found yet
  int64_t number_ = 0;
  std::span<char> text_;
};

}  // namespace portatune::io
