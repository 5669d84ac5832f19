#include "portatune/io/text/csv.h"

#include <algorithm>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

std::string_view view(std::span<const char> text) { return {text.data(), text.size()}; }

// Replaces "" by " in place and returns the new size.
size_t undouble_quotes(std::span<char> text) {
  size_t size = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    text[size++] = text[i];
    if (text[i] == '"') ++i;
  }
  return size;
}

}  // namespace

CsvReader::CsvReader(std::string path, CsvFormat format) : file_(std::move(path)), format_(format) {}

bool CsvReader::next() {
  do {
    line_ = next_line_;
    file_.consume(std::exchange(record_bytes_, 0));
    if (!scan_record()) return false;
    next_line_ = line_ + count_line_ends(file_.unread().first(record_bytes_));
  } while (is_empty_line());
  file_.require_text(record_bytes_, line_);
  require_field_count();
  extract_fields();
  return true;
}

void CsvReader::seek(TextPosition position) {
  file_.seek(position.offset);
  record_bytes_ = 0;
  next_line_ = position.line;
  at_end_ = false;
}

// Finds the extent of the next record and of its fields; returns false at the end of the file.
bool CsvReader::scan_record() {
  for (;;) {
    const std::string_view text = view(file_.unread());
    if (text.empty() && at_end_) return false;
    if (const auto bytes = scan_fields(text)) {
      record_bytes_ = *bytes;
      return true;
    }
    at_end_ = !file_.read_more();
  }
}

// Number of bytes of the record at the beginning of `text`; nothing if its end has not been read yet.
std::optional<size_t> CsvReader::scan_fields(std::string_view text) {
  scanned_.clear();
  for (size_t at = 0;; ++at) {
    const auto field = scan_field(text, at);
    require_limits(text, at, field ? field->next : text.size());
    if (!field) return std::nullopt;
    scanned_.push_back(*field);
    at = field->next;
    if (at == text.size()) return at_end_ ? std::optional(at) : std::nullopt;
    if (text[at] != format_.delimiter) return scan_line_end(text, at);
  }
}

std::optional<CsvReader::Field> CsvReader::scan_field(std::string_view text, size_t begin) const {
  const bool quoted = format_.quoting && begin < text.size() && text[begin] == '"';
  return quoted ? scan_quoted(text, begin) : scan_plain(text, begin);
}

CsvReader::Field CsvReader::scan_plain(std::string_view text, size_t begin) const {
  size_t end = begin;
  while (end < text.size() && text[end] != format_.delimiter && text[end] != '\n' && text[end] != '\r') ++end;
  return {.begin = begin, .end = end, .quoted = false, .escaped = false, .next = end};
}

std::optional<CsvReader::Field> CsvReader::scan_quoted(std::string_view text, size_t begin) const {
  bool escaped = false;
  size_t quote = text.find('"', begin + 1);
  while (quote < text.size() && text.substr(quote).starts_with("\"\"")) {
    escaped = true;
    quote = text.find('"', quote + 2);
  }
  // A quote at the end of the bytes read so far may be the first half of a doubled quote.
  const bool undecided = quote == std::string_view::npos || quote + 1 == text.size();
  if (undecided && !at_end_) return std::nullopt;
  const int64_t line = line_ + count_line_ends(text.substr(0, begin));
  if (quote == std::string_view::npos) {
    fail(line, "a field that begins with a quote on this line and continues to the end of the file", "a closing quote",
         "close the quote, write a literal quote as \"\" inside quotes, or read the file without quoting");
  }
  const size_t next = quote + 1;
  const bool ends = next == text.size() || text[next] == format_.delimiter || text[next] == '\n' || text[next] == '\r';
  if (!ends) {
    fail(line + count_line_ends(text.substr(begin, quote - begin)), "text after a closing quote",
         std::string("'") + format_.delimiter + "' or the end of the line",
         "write a literal quote as \"\" inside quotes, or read the file without quoting");
  }
  return Field{.begin = begin + 1, .end = quote, .quoted = true, .escaped = escaped, .next = next};
}

// Index after the line end at `at`; nothing if an LF may still follow a CR.
std::optional<size_t> CsvReader::scan_line_end(std::string_view text, size_t at) const {
  if (text[at] == '\n') return at + 1;
  if (at + 1 == text.size()) return at_end_ ? std::optional(at + 1) : std::nullopt;
  return text[at + 1] == '\n' ? at + 2 : at + 1;
}

bool CsvReader::is_empty_line() const {
  return scanned_.size() == 1 && !scanned_[0].quoted && scanned_[0].begin == scanned_[0].end;
}

void CsvReader::extract_fields() {
  const std::span<char> text = file_.unread();
  fields_.clear();
  for (const Field& field : scanned_) {
    const std::span<char> raw = text.subspan(field.begin, field.end - field.begin);
    fields_.emplace_back(raw.data(), field.escaped ? undouble_quotes(raw) : raw.size());
  }
}

void CsvReader::require_limits(std::string_view text, size_t field_begin, size_t field_end) const {
  if (static_cast<int64_t>(field_end - field_begin) > format_.max_field_bytes) {
    const bool quoted = format_.quoting && text[field_begin] == '"';
    fail(line_ + count_line_ends(text.substr(0, field_begin)),
         "a field of more than " + counted(format_.max_field_bytes, "byte"), "a shorter field",
         quoted ? "look for a missing closing quote" : "");
  }
  if (static_cast<int64_t>(field_end) > format_.max_record_bytes) {
    fail(line_, "a record of more than " + counted(format_.max_record_bytes, "byte"), "a shorter record");
  }
  if (static_cast<int64_t>(scanned_.size()) >= format_.max_fields) {
    fail(line_, "more than " + counted(format_.max_fields, "field"), "fewer fields");
  }
}

void CsvReader::require_field_count() {
  if (first_line_ == 0) {
    first_line_ = line_;
    field_count_ = scanned_.size();
  }
  if (scanned_.size() == field_count_) return;
  const bool too_many = scanned_.size() > field_count_;
  throw BadRecordError(
      {.where = file_and_line(file_.path(), line_),
       .given = counted(std::ssize(scanned_), "field"),
       .expected = counted(static_cast<int64_t>(field_count_), "field") + ", as on line " + std::to_string(first_line_),
       .fix = too_many && format_.quoting
                  ? std::string("put a text that contains '") + format_.delimiter + "' in double quotes"
                  : ""});
}

void CsvReader::fail(int64_t line, std::string given, std::string expected, std::string fix) const {
  throw DataError({.where = file_and_line(file_.path(), line),
                   .given = std::move(given),
                   .expected = std::move(expected),
                   .fix = std::move(fix)});
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace portatune::io
