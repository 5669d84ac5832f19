#include "portune/text/unicode/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>

#include "portune/error.h"

namespace portune::text {
namespace {

// Bytes of the well-formed code point at text[at], or 0. Unicode 15, table 3-7.
size_t well_formed_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto tails = [&](size_t count) {
    for (size_t i = 1; i <= count; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return size_t{0};
    }
    return count + 1;
  };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return tails(1);
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : tails(2);
  }
  const bool overlong = lead == 0xF0 && second < 0x90, too_large = lead == 0xF4 && second > 0x8F;
  return lead > 0xF4 || overlong || too_large ? 0 : tails(3);
}

[[noreturn]] void throw_bad_utf8(std::string_view text) {
  size_t at = 0;
  while (const size_t length = at < text.size() ? well_formed_length(text, at) : 0) at += length;
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(text[at]);
  throw DataError({.where = "text",
                   .given = "byte 0x" + std::string{kDigits[byte >> 4], kDigits[byte & 15]} + " at byte offset " +
                            std::to_string(at),
                   .expected = "UTF-8",
                   .fix = "convert the text to UTF-8"});
}

}  // namespace

void require_utf8(std::string_view text) {
  if (text.size() > std::numeric_limits<int32_t>::max()) {
    throw DataError({.where = "text", .given = std::to_string(text.size()) + " bytes", .expected = "less than 2 GB"});
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) throw_bad_utf8(text);
}

char32_t previous_code_point(std::string_view text, size_t end) {
  size_t at = end - 1;
  while (is_continuation(text[at])) --at;
  return next_code_point(text, at);
}

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
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

}  // namespace portune::text
