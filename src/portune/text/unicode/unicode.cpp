#include "portune/text/unicode/unicode.h"

#include <algorithm>
#include <iterator>

namespace portune::text {
namespace {

// All code points from `first` up to the next range have this class.
struct ClassRange {
  uint32_t first;
  uint8_t properties;
};
struct CombiningRange {
  uint32_t first, last;
  uint8_t combining_class;
};
// Every `stride`-th code point of the range moves by `distance`.
struct LowercaseRange {
  uint32_t first, last;
  uint8_t stride;
  int32_t distance;
};

// kDecompositions: code point, its decomposition, 0; and so on.
#include "portune/text/unicode/tables.inc"

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
  decompositions_.reserve(std::size(kDecompositions) / 3);
  for (const char32_t* entry = kDecompositions; entry != std::end(kDecompositions);) {
    const char32_t* zero = std::find(entry, std::end(kDecompositions), U'\0');
    decompositions_.emplace(*entry, std::u32string_view(entry + 1, static_cast<size_t>(zero - entry - 1)));
    add_property(*entry, kDecomposes);
    entry = zero + 1;
  }
}

void UnicodeTables::unfold_classes() {
  std::array<uint16_t, 256> uniform_block{};  // by class: 1 + the block whose code points are all of that class
  const ClassRange* range = std::begin(kClassRanges);
  const auto ends_before = [&](size_t c) { return range + 1 != std::end(kClassRanges) && (range + 1)->first <= c; };
  for (size_t first = 0; first < kCodePoints; first += kBlockSize) {
    while (ends_before(first)) ++range;
    const bool uniform = !ends_before(first + kBlockSize - 1);
    uint16_t& shared = uniform_block[range->properties];
    if (uniform && shared != 0) {
      block_of_.push_back(static_cast<uint16_t>(shared - 1));
      continue;
    }
    block_of_.push_back(static_cast<uint16_t>(blocks_.size()));
    if (uniform) shared = static_cast<uint16_t>(blocks_.size() + 1);
    shared_.push_back(uniform);
    Block& block = blocks_.emplace_back();
    for (size_t i = 0; i < kBlockSize; ++i) {
      while (ends_before(first + i)) ++range;
      block[i] = range->properties;
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

std::array<char32_t, 3> decompose_hangul(char32_t syllable) {
  constexpr char32_t kVowels = 21, kTails = 28;
  const char32_t index = syllable - 0xAC00, tail = index % kTails;
  return {0x1100 + index / (kVowels * kTails), 0x1161 + index / kTails % kVowels, tail == 0 ? 0 : 0x11A7 + tail};
}

}  // namespace portune::text
