#include "portatune/base/text/utf8.h"

namespace portatune {

Utf8Sequence utf8_sequence(std::string_view text, size_t at) {
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

size_t find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Sequence sequence = utf8_sequence(text, at);
    if (sequence.wanted == 0 || sequence.there < sequence.wanted) return at;
    at += sequence.wanted;
  }
  return std::string_view::npos;
}

}  // namespace portatune
