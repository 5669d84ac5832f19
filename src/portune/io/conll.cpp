#include "portune/io/conll.h"

#include <algorithm>
#include <utility>

#include "portune/error.h"

namespace portune::io {
namespace {

constexpr size_t kLongestLine = 1 << 20;
constexpr size_t kMostTokens = 1'000'000;
constexpr std::string_view kBlanks = " \t\r\n";

// Between tabs; without any, between runs of blanks.
std::vector<std::string_view> columns_of(std::string_view line) {
  const bool has_tabs = line.find('\t') != std::string_view::npos;
  std::vector<std::string_view> columns;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(has_tabs ? '\t' : ' ', begin), line.size());
    if (has_tabs || end > begin) columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

}  // namespace

bool ConllReader::next() {
  tokens_.clear();
  tags_.clear();
  while (const auto line = next_line()) {
    if (line->starts_with("-DOCSTART-")) continue;
    if (!line->empty()) {
      take(*line);
    } else if (!tokens_.empty()) {
      return true;
    }
  }
  return !tokens_.empty();
}

void ConllReader::seek(TextPosition position) {
  file_.seek(position.offset);
  line_bytes_ = 0;
  line_ = position.line;
}

// Without the white space at its end; nothing at the end of the file.
std::optional<std::string_view> ConllReader::next_line() {
  file_.consume(std::exchange(line_bytes_, 0));
  ++line_;
  for (;;) {
    const std::span<char> text = file_.unread();
    const size_t length = static_cast<size_t>(std::ranges::find(text, '\n') - text.begin());
    if (length > kLongestLine) {
      throw DataError({.where = file_and_line(file_.path(), line_),
                       .given = "a line of more than " + std::to_string(kLongestLine) + " bytes",
                       .expected = "a token and its tag on each line"});
    }
    const bool ended = length < text.size();
    if (!ended && file_.read_more()) continue;
    if (!ended && length == 0) return std::nullopt;
    line_bytes_ = length + (ended ? 1 : 0);
    file_.require_text(length, line_);
    const std::string_view line(text.data(), length);
    return line.substr(0, line.find_last_not_of(kBlanks) + 1);
  }
}

void ConllReader::take(std::string_view line) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns_ == 0) columns_ = columns.size();
  if (columns.size() != columns_ || columns.front().empty()) {
    throw DataError({.where = file_and_line(file_.path(), line_),
                     .given = std::to_string(columns.size()) + " columns" +
                              (columns.front().empty() ? ", the first of them empty" : ""),
                     .expected = std::to_string(columns_) + ", as in the lines before, a token the first"});
  }
  if (tokens_.size() == kMostTokens) {
    throw DataError({.where = file_and_line(file_.path(), line_),
                     .given = "a sentence of more than " + std::to_string(kMostTokens) + " tokens",
                     .expected = "an empty line after each sentence"});
  }
  if (tokens_.empty()) first_line_ = line_;
  tokens_.emplace_back(columns.front());
  if (columns_ > 1) tags_.emplace_back(columns.back());
}

}  // namespace portune::io
