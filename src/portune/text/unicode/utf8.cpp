#include "portune/text/unicode/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>

#include "portune/error.h"

namespace portune::text {
namespace {

// What a code point that begins at text[at] could be. Unicode 15, table 3-7.
struct Sequence {
  size_t wanted;  // bytes that the first one asks for, 0 if none can begin with it
  size_t there;   // bytes that are there before one that does not fit
};
Sequence sequence_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return {1, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 0};
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;  // no overlong forms
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;   // no surrogates, nothing beyond U+10FFFF
  const size_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (second < least || second > most) return {wanted, 1};
  size_t there = 2;
  while (there < wanted && (byte(there) & 0xC0) == 0x80) ++there;
  return {wanted, there};
}

// Bytes of the well-formed code point at text[at], or 0.
size_t well_formed_length(std::string_view text, size_t at) {
  const Sequence sequence = sequence_at(text, at);
  return sequence.there == sequence.wanted ? sequence.wanted : 0;
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
  if (!is_utf8(text)) throw_bad_utf8(text);
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::string to_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (size_t at = 0; at < bytes.size();) {
    const Sequence sequence = sequence_at(bytes, at);
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
