#include "portatune/io/text/line_reader.h"

#include <algorithm>
#include <utility>

#include "portatune/io/text/bad_record.h"

namespace portatune::io {

LineReader::LineReader(std::string path, int64_t max_line_bytes, std::string expected)
    : file_(std::move(path)), max_bytes_(static_cast<size_t>(max_line_bytes)), expected_(std::move(expected)) {}

bool LineReader::next() {
  if (std::exchange(too_long_, false)) skip_line();
  file_.consume(std::exchange(bytes_, 0));
  ++number_;
  const std::optional<size_t> length = scan();
  if (!length) return false;
  file_.require_text(*length, number_);
  text_ = file_.unread().first(*length);
  return true;
}

void LineReader::seek(TextPosition position) {
  file_.seek(position.offset);
  bytes_ = 0;
  too_long_ = false;
  number_ = position.line;
}

// Number of bytes of the next line without its end; nothing at the end of the file.
std::optional<size_t> LineReader::scan() {
  for (size_t scanned = 0;;) {
    const std::span<char> bytes = file_.unread();
    const auto end = std::find(bytes.begin() + static_cast<std::ptrdiff_t>(scanned), bytes.end(), '\n');
    const auto length = static_cast<size_t>(end - bytes.begin());
    if (length > max_bytes_) {
      too_long_ = true;
      throw BadRecordError({.where = where(),
                            .given = "a line of more than " + std::to_string(max_bytes_) + " bytes",
                            .expected = expected_});
    }
    if (end != bytes.end()) {
      bytes_ = length + 1;
      return length;
    }
    scanned = length;
    if (file_.read_more()) continue;
    bytes_ = length;
    return length > 0 ? std::optional(length) : std::nullopt;
  }
}

// Skips the rest of a line without using more memory.
void LineReader::skip_line() {
  for (;;) {
    const std::span<char> bytes = file_.unread();
    const auto end = std::find(bytes.begin(), bytes.end(), '\n');
    const bool found = end != bytes.end();
    file_.consume(static_cast<size_t>(end - bytes.begin()) + (found ? 1 : 0));
    if (found || !file_.read_more()) return;
  }
}

}  // namespace portatune::io
