// UTF-8, one code point at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace portatune::text {

/// Throws DataError, with the byte offset, unless `text` is valid UTF-8 and below 2 GB (offsets are int32). All other
/// functions here require valid UTF-8.
void require_utf8(std::string_view text);

/// The code point at text[at]. Moves `at` to its end.
inline char32_t next_code_point(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) {
    at += 1;
    return lead;
  }
  const auto tail = [&](size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  if (lead < 0xE0) {
    const char32_t c = (lead & 0x1F) << 6 | tail(1);
    at += 2;
    return c;
  }
  if (lead < 0xF0) {
    const char32_t c = (lead & 0x0F) << 12 | tail(1) << 6 | tail(2);
    at += 3;
    return c;
  }
  const char32_t c = (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
  at += 4;
  return c;
}

/// The code point that ends before text[end]; `end` must not be 0.
char32_t previous_code_point(std::string_view text, size_t end);

/// True if this byte continues a code point.
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// True if each code point has one byte.
inline bool is_ascii(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  uint64_t bits = 0;
  size_t at = 0;
  for (uint64_t bytes; at + sizeof(bytes) <= text.size(); at += sizeof(bytes)) {
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    bits |= bytes;
  }
  for (; at < text.size(); ++at) bits |= static_cast<unsigned char>(text[at]);
  return (bits & kHighBits) == 0;
}

/// Number of code points.
size_t count_code_points(std::string_view text);

bool is_utf8(std::string_view bytes);

/// The bytes with invalid UTF-8 replaced by U+FFFD: one for each longest beginning of a code point, as in Rust and
/// Python.
std::string to_utf8(std::string_view bytes);

void append_utf8(char32_t c, std::string& text);

}  // namespace portatune::text
