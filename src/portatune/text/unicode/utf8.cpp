#include "portatune/text/unicode/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

[[noreturn]] void throw_bad_utf8(std::string_view text) {
  const size_t at = find_invalid_utf8(text);
  throw DataError({.where = "text",
                   .given = "byte " + hexadecimal_byte(text[at]) + " at byte offset " + std::to_string(at),
                   .expected = "UTF-8",
                   .fix = "convert the text to UTF-8"});
}

}  // namespace

void require_utf8(std::string_view text) {
  if (text.size() > std::numeric_limits<int32_t>::max()) {
    throw DataError({.where = "text", .given = std::to_string(text.size()) + " bytes", .expected = "less than 2 GB"});
  }
  if (!is_utf8(text)) throw_bad_utf8(text);
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::string to_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const Utf8Sequence sequence = utf8_sequence(bytes, at);
    const size_t length = std::max<size_t>(sequence.there, 1);
    if (sequence.wanted > 0 && sequence.there == sequence.wanted) {
      text.append(bytes, at, length);
    } else {
      text += "\ufffd";
    }
    at += length;
  }
  return text;
}

char32_t previous_code_point(std::string_view text, size_t end) {
  size_t at = end - 1;
  while (is_continuation(text[at])) --at;
  return next_code_point(text, at);
}

size_t count_code_points(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t continuations = 0, at = 0;
  for (uint64_t bytes; at + sizeof(bytes) <= text.size(); at += sizeof(bytes)) {
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    continuations += static_cast<size_t>(std::popcount(bytes & ~(bytes << 1) & kHighBits));  // 10xxxxxx
  }
  for (; at < text.size(); ++at) continuations += is_continuation(text[at]);
  return text.size() - continuations;
}

void append_utf8(char32_t c, std::string& text) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0 | c >> 6), tail(0)};
  } else if (c < 0x10000) {
    text += {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
  }
}

}  // namespace portatune::text
