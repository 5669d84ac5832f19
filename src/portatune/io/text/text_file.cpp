#include "portatune/io/text/text_file.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/io/compress/decompress.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

constexpr size_t kBlock = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

TextFile::TextFile(std::string path)
    : path_(std::move(path)), bytes_(open_decompressed(path_)), buffer_(kBlock + kPadding) {}

// Moves the unread bytes to the front. Doubles the buffer if they fill half of it, so that each byte of a long record
// is moved and scanned only a constant number of times.
void TextFile::make_room() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  buffer_offset_ += static_cast<int64_t>(begin_);
  end_ -= begin_;
  begin_ = 0;
  const size_t room = buffer_.size() - kPadding;
  if (end_ > room / 2) buffer_.resize(2 * room + kPadding);
}

bool TextFile::read_more() {
  make_room();
  const bool at_beginning = buffer_offset_ == 0 && end_ == 0;
  const size_t before = end_, room = buffer_.size() - kPadding;
  // Fills the buffer, because readers scan a record again each time it has grown.
  while (end_ < room) {
    const size_t count = bytes_->read(std::span(buffer_).subspan(end_, room - end_));
    if (count == 0) break;
    end_ += count;
  }
  if (at_beginning && std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) {
    begin_ = kByteOrderMark.size();
  }
  return end_ > before;
}

void TextFile::seek(int64_t offset) {
  const int64_t read = buffer_offset_ + static_cast<int64_t>(end_);
  const bool is_ahead = offset >= read;
  if (!is_ahead) bytes_ = open_decompressed(path_);
  bytes_->skip(is_ahead ? offset - read : offset);
  begin_ = end_ = 0;
  buffer_offset_ = offset;
}

void TextFile::require_text(size_t bytes, int64_t line) const {
  const std::string_view text(buffer_.data() + begin_, bytes);
  const bool is_utf8 = simdjson::validate_utf8(text.data(), text.size());
  const size_t fault = is_utf8 ? text.find('\0') : find_invalid_utf8(text);
  if (fault == std::string_view::npos) return;
  const int64_t offset = this->offset() + static_cast<int64_t>(fault);
  const int64_t fault_line = line + count_line_ends({text.data(), fault});
  throw BadRecordError(
      {.where = file_and_line(path_, fault_line),
       .given = (is_utf8 ? "a NUL" : hexadecimal_byte(text[fault])) + " at byte offset " + std::to_string(offset),
       .expected = "text in UTF-8",
       .fix = is_utf8 ? "" : "convert the file to UTF-8, for instance with iconv"});
}

int64_t count_line_ends(std::span<const char> text) {
  int64_t count = std::count(text.begin(), text.end(), '\n');
  for (auto at = std::find(text.begin(), text.end(), '\r'); at != text.end(); at = std::find(at, text.end(), '\r')) {
    ++at;
    if (at == text.end() || *at != '\n') ++count;
  }
  return count;
}

std::string file_and_line(const std::string& path, int64_t line) { return path + ":" + std::to_string(line); }

}  // namespace portatune::io
