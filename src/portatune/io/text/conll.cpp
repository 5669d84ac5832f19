#include "portatune/io/text/conll.h"

#include <algorithm>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

constexpr int64_t kMaxLineBytes = 1 << 20;
constexpr size_t kMaxTokens = 1'000'000;
constexpr std::string_view kBlanks = " \t\r\n";

// Splits a line at tabs; without tabs, at runs of blanks.
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

ConllReader::ConllReader(std::string path)
    : lines_(std::move(path), kMaxLineBytes, "a token and its tag on each line") {}

bool ConllReader::next() {
  // Skip the rest of a sentence after an error.
  while (in_sentence_) {
    const auto line = next_line();
    in_sentence_ = line && !line->empty();
  }
  tokens_.clear();
  tags_.clear();
  in_sentence_ = true;
  while (const auto line = next_line()) {
    if (line->starts_with("-DOCSTART-") || (line->empty() && tokens_.empty())) continue;
    if (line->empty()) break;
    take(*line);
  }
  in_sentence_ = false;
  return !tokens_.empty();
}

void ConllReader::seek(TextPosition position, int64_t columns) {
  lines_.seek(position);
  columns_ = static_cast<size_t>(columns);
  in_sentence_ = false;
}

// The next line without trailing white space; nothing at the end of the file.
std::optional<std::string_view> ConllReader::next_line() {
  if (!lines_.next()) return std::nullopt;
  const std::string_view line(lines_.text().data(), lines_.text().size());
  return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

void ConllReader::take(std::string_view line) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (columns_ == 0) columns_ = columns.size();
  if (columns.size() != columns_ || columns.front().empty()) {
    throw BadRecordError(
        {.where = lines_.where(),
         .given = counted(std::ssize(columns), "column") + (columns.front().empty() ? ", the first of them empty" : ""),
         .expected =
             counted(static_cast<int64_t>(columns_), "column") + ", as in the previous lines, with the token first"});
  }
  if (tokens_.size() == kMaxTokens) {
    throw BadRecordError({.where = lines_.where(),
                          .given = "a sentence of more than " + std::to_string(kMaxTokens) + " tokens",
                          .expected = "an empty line after each sentence"});
  }
  if (tokens_.empty()) first_line_ = lines_.number();
  tokens_.emplace_back(columns.front());
  if (columns_ > 1) tags_.emplace_back(columns.back());
}

}  // namespace portatune::io
