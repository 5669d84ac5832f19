// Sentences of CoNLL's column files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/text/line_reader.h"

namespace portatune::io {

/// Reads a file of one token a line, in the memory of a sentence. The token is the first column, its tag the last;
/// columns are separated by tabs or, in lines without any, by blanks. Empty lines end a sentence; lines that begin with
/// -DOCSTART- are passed over. CR LF and a byte order mark are accepted.
/// errors  BadRecordError with file and line, after which the next sentence can be read: another number of columns than
///         in the lines before, a line of more than 1 MB, a sentence of more than 1 million tokens, bytes that are not
///         UTF-8
class ConllReader {
 public:
  explicit ConllReader(std::string path);

  /// Goes to the next sentence, which has a token; false at the end of the file.
  bool next();
  /// Those of the sentence, valid until next().
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// As many, or none in a file of one column.
  const std::vector<std::string>& tags() const { return tags_; }
  /// The line of its first token, counted from 1.
  int64_t line() const { return first_line_; }

  /// The end of the sentence.
  TextPosition position() const { return lines_.position(); }
  /// Of all lines so far; 0 where there was none.
  int64_t columns() const { return static_cast<int64_t>(columns_); }
  /// Goes on from there.
  void seek(TextPosition position, int64_t columns);

 private:
  std::optional<std::string_view> next_line();
  void take(std::string_view line);

  LineReader lines_;
  int64_t first_line_ = 0;
  bool in_sentence_ = false;  // an error has ended next() before the end of the sentence
  size_t columns_ = 0;
  std::vector<std::string> tokens_, tags_;
};

}  // namespace portatune::io
