// Sentences of CoNLL column files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/io/text/line_reader.h"

namespace portatune::io {

/// Reads a file with one token per line, in memory for one sentence. The token is the first column, its tag the last.
/// Tabs separate columns, or blanks in lines without tabs. Empty lines end a sentence. Skips lines that begin with
/// -DOCSTART-. Accepts CR LF and a byte order mark.
/// errors  BadRecordError with file and line, after which the next sentence can be read: a number of columns that
///         differs from the previous lines, a line of more than 1 MB, a sentence of more than 1 million tokens, bytes
///         that are not UTF-8
class ConllReader {
 public:
  explicit ConllReader(std::string path);

  /// Moves to the next sentence, which has at least one token; returns false at the end of the file.
  bool next();
  /// Tokens of the sentence, valid until next().
  const std::vector<std::string>& tokens() const { return tokens_; }
  /// Tags of the tokens; empty for a file with one column.
  const std::vector<std::string>& tags() const { return tags_; }
  /// The line of the first token, from 1.
  int64_t line() const { return first_line_; }

  /// The position after the sentence.
  TextPosition position() const { return lines_.position(); }
  /// Number of columns of all lines so far; 0 before the first line.
  int64_t columns() const { return static_cast<int64_t>(columns_); }
  /// Continues from a position.
  void seek(TextPosition position, int64_t columns);

 private:
  std::optional<std::string_view> next_line();
  void take(std::string_view line);

  LineReader lines_;
  int64_t first_line_ = 0;
  bool in_sentence_ = false;  // whether an error ended next() within a sentence
  size_t columns_ = 0;
  std::vector<std::string> tokens_, tags_;
};

}  // namespace portatune::io
