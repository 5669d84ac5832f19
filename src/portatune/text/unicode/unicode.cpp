#include "portatune/text/unicode/unicode.h"

#include <algorithm>
#include <iterator>

namespace portatune::text {
namespace {

// A range of code points with equal properties, up to the next range.
struct ClassRange {
  uint32_t first;
  uint16_t properties;
  uint8_t category;
};
struct CombiningRange {
  uint32_t first, last;
  uint8_t combining_class;
};
// A range in which every `stride`-th code point moves by `distance`.
struct LowercaseRange {
  uint32_t first, last;
  uint8_t stride;
  int32_t distance;
};

// The composition of `first` and `second` to `composite`.
struct Composition {
  char32_t first, second, composite;
};

// Decompositions, each as code point, decomposition, 0.
#include "portatune/text/unicode/tables.inc"

constexpr size_t kCodePoints = 0x110000;

// The range that may hold `c`: the last one that does not begin after it.
template <class Range, size_t count>
const Range& range_of(const Range (&ranges)[count], char32_t c) {
  const auto after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                      [](char32_t value, const Range& range) { return value < range.first; });
  return after == std::begin(ranges) ? ranges[0] : *std::prev(after);
}

bool holds(const LowercaseRange& range, char32_t c) {
  return c >= range.first && c <= range.last && (c - range.first) % range.stride == 0;
}

// Composes a letter and a vowel to a syllable, or such a syllable and a tail; 0 for all else.
char32_t compose_hangul(char32_t first, char32_t second) {
  constexpr char32_t kVowels = 21, kTails = 28;
  const bool letter = first >= 0x1100 && first <= 0x1112, vowel = second >= 0x1161 && second <= 0x1175;
  if (letter && vowel) return 0xAC00 + ((first - 0x1100) * kVowels + (second - 0x1161)) * kTails;
  const bool tail = second > 0x11A7 && second <= 0x11C2;
  return tail && is_hangul_syllable(first) && (first - 0xAC00) % kTails == 0 ? first + (second - 0x11A7) : 0;
}

}  // namespace

const UnicodeTables& UnicodeTables::get() {
  static const UnicodeTables tables;
  return tables;
}

UnicodeTables::UnicodeTables() {
  unfold_classes();
  for (const CombiningRange& range : kCombiningRanges) {
    for (char32_t c = range.first; c <= range.last; ++c) add_property(c, kCombining);
  }
  for (const LowercaseRange& range : kLowercaseRanges) {
    for (char32_t c = range.first; c <= range.last; c += range.stride) add_property(c, kUppercase);
  }
  add_property(0x130, kUppercase);
  add_decompositions({kDecompositions, std::size(kDecompositions)}, kDecomposes, decompositions_);
  add_decompositions({kCompatibilityDecompositions, std::size(kCompatibilityDecompositions)}, kDecomposesCompatibly,
                     compatibility_decompositions_);
}

void UnicodeTables::add_decompositions(std::u32string_view entries, Property property, Decompositions& decompositions) {
  decompositions.reserve(entries.size() / 3);
  while (!entries.empty()) {
    const size_t zero = entries.find(U'\0');
    decompositions.emplace(entries.front(), entries.substr(1, zero - 1));
    add_property(entries.front(), property);
    entries.remove_prefix(zero + 1);
  }
}

void UnicodeTables::unfold_classes() {
  const auto bits_of = [](const ClassRange& range) {
    const bool letter =
        range.category >= static_cast<int>(Category::kLu) && range.category <= static_cast<int>(Category::kLo);
    const bool number =
        range.category >= static_cast<int>(Category::kNd) && range.category <= static_cast<int>(Category::kNo);
    return range.properties | (letter ? kLetter : 0u) | (number ? kNumber : 0u) |
           static_cast<uint32_t>(range.category) << kCategoryShift;
  };
  std::unordered_map<uint32_t, uint16_t> uniform_blocks;  // by properties: the block whose code points all have these
  const ClassRange* range = std::begin(kClassRanges);
  const auto ends_before = [&](size_t c) { return range + 1 != std::end(kClassRanges) && (range + 1)->first <= c; };
  for (size_t first = 0; first < kCodePoints; first += kBlockSize) {
    while (ends_before(first)) ++range;
    const bool uniform = !ends_before(first + kBlockSize - 1);
    const auto next = static_cast<uint16_t>(blocks_.size());
    const uint16_t block_index = uniform ? uniform_blocks.try_emplace(bits_of(*range), next).first->second : next;
    block_of_.push_back(block_index);
    if (block_index != next) continue;
    shared_.push_back(uniform);
    Block& block = blocks_.emplace_back();
    for (size_t i = 0; i < kBlockSize; ++i) {
      while (ends_before(first + i)) ++range;
      block[i] = bits_of(*range);
    }
  }
}

void UnicodeTables::add_property(char32_t c, Property property) {
  uint16_t& index = block_of_[c / kBlockSize];
  if (shared_[index]) {
    blocks_.push_back(Block(blocks_[index]));
    shared_.push_back(false);
    index = static_cast<uint16_t>(blocks_.size() - 1);
  }
  blocks_[index][c % kBlockSize] |= property;
}

uint8_t UnicodeTables::combining_class(char32_t c) const {
  const CombiningRange& range = range_of(kCombiningRanges, c);
  return c >= range.first && c <= range.last ? range.combining_class : 0;
}

char32_t UnicodeTables::lowercase(char32_t c) const {
  if (c == 0x130) return U'i';
  const LowercaseRange& range = range_of(kLowercaseRanges, c);
  return holds(range, c) ? c + static_cast<char32_t>(range.distance) : c;
}

std::u32string_view UnicodeTables::decomposition(char32_t c) const { return decompositions_.at(c); }

std::u32string_view UnicodeTables::compatibility_decomposition(char32_t c) const {
  return compatibility_decompositions_.at(c);
}

char32_t UnicodeTables::composition(char32_t first, char32_t second) const {
  if (const char32_t syllable = compose_hangul(first, second); syllable != 0) return syllable;
  const auto before = [](const Composition& a, const std::pair<char32_t, char32_t>& b) {
    return std::pair(a.first, a.second) < b;
  };
  const auto* found =
      std::lower_bound(std::begin(kCompositions), std::end(kCompositions), std::pair(first, second), before);
  const bool composes = found != std::end(kCompositions) && found->first == first && found->second == second;
  return composes ? found->composite : 0;
}

std::array<char32_t, 3> decompose_hangul(char32_t syllable) {
  constexpr char32_t kVowels = 21, kTails = 28;
  const char32_t index = syllable - 0xAC00, tail = index % kTails;
  return {0x1100 + index / (kVowels * kTails), 0x1161 + index / kTails % kVowels, tail == 0 ? 0 : 0x11A7 + tail};
}

}  // namespace portatune::text
