#include "portatune/text/unicode/grapheme.h"

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Letters of Hangul, which join to syllables.
bool is_leading(char32_t c) { return is_between(c, 0x1100, 0x115F) || is_between(c, 0xA960, 0xA97C); }
bool is_vowel(char32_t c) { return is_between(c, 0x1160, 0x11A7) || is_between(c, 0xD7B0, 0xD7C6); }
bool is_trailing(char32_t c) { return is_between(c, 0x11A8, 0x11FF) || is_between(c, 0xD7CB, 0xD7FB); }
bool is_open_syllable(char32_t c) { return is_hangul_syllable(c) && (c - 0xAC00) % 28 == 0; }

bool joins_hangul(char32_t before, char32_t c) {
  if (is_leading(before)) return is_leading(c) || is_vowel(c) || is_hangul_syllable(c);
  if (is_vowel(before) || is_open_syllable(before)) return is_vowel(c) || is_trailing(c);
  return (is_trailing(before) || is_hangul_syllable(before)) && is_trailing(c);
}

bool has(char32_t c, Property property) { return (UnicodeTables::get().properties(c) & property) != 0; }

bool joins(char32_t before, char32_t c) {
  if (before == '\r' && c == '\n') return true;
  if (has(before, kBreaks) || has(c, kBreaks)) return false;
  return has(c, kExtends) || has(before, kPrepends) || joins_hangul(before, c);
}

}  // namespace

size_t end_of_cluster(std::string_view text, size_t at) {
  constexpr char32_t kJoiner = 0x200D;
  char32_t before = next_code_point(text, at);
  bool pictograph = has(before, kPictograph);  // a pictograph, followed only by extending characters
  while (at < text.size()) {
    size_t next = at;
    const char32_t c = next_code_point(text, next);
    const bool joins_pictograph = pictograph && before == kJoiner && has(c, kPictograph);
    if (!joins_pictograph && !joins(before, c)) break;
    pictograph = has(c, kPictograph) || (pictograph && has(c, kExtends));
    before = c;
    at = next;
  }
  return at;
}

}  // namespace portatune::text
