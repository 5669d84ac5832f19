#include "portatune/text/pattern/word_begins.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "portatune/text/pattern/word_scanner.h"
#include "portatune/text/unicode/byte_block.h"

namespace portatune::text {
namespace {

constexpr size_t kCharacters = 64;

// The kinds of 64 characters, as one bit for each.
struct Kinds {
  uint64_t letters = 0, numbers = 0, spaces = 0, others = 0;
  uint64_t blanks = 0;  // ' ', a subset of the spaces
  uint64_t apostrophes = 0;
  uint64_t ascii = 0;
};

Kinds kinds_of(const char* characters) {
  Kinds kinds;
  uint64_t wide = 0;
  for (size_t i = 0; i < kCharacters; i += sizeof(ByteBlock)) {
    const ByteBlock bytes = load_block(characters + i), blanks = equal(bytes, ' ');
    kinds.letters |= upper_bits(in_range(bytes | 0x20, 'a', 26)) << i;
    kinds.numbers |= upper_bits(in_range(bytes, '0', 10)) << i;
    kinds.spaces |= upper_bits(in_range(bytes, '\t', 5) | blanks) << i;
    kinds.blanks |= upper_bits(blanks) << i;
    kinds.apostrophes |= upper_bits(equal(bytes, '\'')) << i;
    wide |= upper_bits(bytes) << i;
  }
  kinds.others = ~(kinds.letters | kinds.numbers | kinds.spaces);
  kinds.ascii = ~wide;
  return kinds;
}

uint64_t behind(uint64_t characters) { return characters << 1; }
uint64_t before(uint64_t characters) { return characters >> 1; }
uint64_t first(size_t count) { return (uint64_t{1} << count) - 1; }  // count below 64

// The beginnings of words, except contractions. A character of another kind than the one before begins a word, unless a
// blank precedes it, which belongs to the word. The first of several spaces, and the last before a word, begin a word,
// too.
uint64_t begins_of_runs(const Kinds& kinds) {
  const uint64_t continued = (kinds.letters & behind(kinds.letters)) | (kinds.numbers & behind(kinds.numbers)) |
                             (kinds.others & behind(kinds.others));
  return (~kinds.spaces & ~continued & ~behind(kinds.blanks)) | (kinds.spaces & ~behind(kinds.spaces)) |
         (kinds.spaces & ~before(kinds.spaces));
}

}  // namespace

uint64_t begins_of_gpt2_words(std::string_view text, size_t at) {
  std::array<char, kCharacters> last;
  const char* characters = text.data() + at;
  size_t count = text.size() - at;
  if (count < kCharacters) {  // blanks after the end leave open the end of spaces before it
    last.fill(' ');
    std::memcpy(last.data(), characters, count);
    characters = last.data();
  }
  const Kinds kinds = kinds_of(characters);
  const auto ascii = static_cast<size_t>(std::countr_one(kinds.ascii));
  const size_t settled = ascii == 0 ? 0 : std::min(ascii - 1, count);  // a character depends on the next one
  uint64_t begins = begins_of_runs(kinds) & first(settled) & ~uint64_t{1};
  for (uint64_t marks = kinds.apostrophes & (begins | 1) & first(settled); marks != 0; marks &= marks - 1) {
    const auto mark = static_cast<size_t>(std::countr_zero(marks));
    const size_t end = word_scanner::end_of_contraction(text, at + mark, false) - at;
    if (end == mark) continue;
    if (end >= settled) return begins & first(mark + 1);
    begins = (begins & ~(first(end) & ~first(mark + 1))) | uint64_t{1} << end;
  }
  return begins;
}

}  // namespace portatune::text
