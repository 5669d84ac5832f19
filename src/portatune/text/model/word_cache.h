// A cache of the tokens of words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portatune/text/model/model.h"
#include "portatune/text/model/short_key.h"

namespace portatune::text {

/// A hash table of fixed size from words of up to 15 bytes to their tokens. Keys and up to three tokens are inline:
/// half a cache line per word. If all slots near its hash are full, a word replaces another.
class WordCache {
 public:
  /// The tokens of a word; none if the word is not in the cache. Valid until the next insert.
  class Tokens {
   public:
    Tokens() = default;
    Tokens(const int32_t* ids, const uint8_t* ranges, size_t count) : ids_(ids), ranges_(ranges), count_(count) {}

    bool empty() const { return count_ == 0; }
    size_t size() const { return count_; }
    std::span<const int32_t> ids() const { return {ids_, count_}; }
    Piece operator[](size_t i) const {
      return {ids_[i], static_cast<uint32_t>(ranges_[i] >> 4), static_cast<uint32_t>(ranges_[i] & 15)};
    }

   private:
    const int32_t* ids_ = nullptr;
    const uint8_t* ranges_ = nullptr;
    size_t count_ = 0;
  };

  /// Prefetches the slot that find() reads first.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

  /// The tokens of a word with this hash.
  Tokens find(const ShortKey& word, uint64_t hash) const {
    const Slot* slot = &slots_[hash & mask_];
    for (const Slot* end = slot + kReach; slot != end; ++slot) {
      if (slot->word == word) return tokens_of(*slot);
    }
    return {};
  }

  /// Adds the tokens of a word that is not in the cache. Nothing is added if there are no tokens, more than 255, or one
  /// that ends beyond byte 15.
  void insert(const ShortKey& word, uint64_t hash, std::span<const Piece> tokens);

 private:
  static constexpr size_t kSlots = 1 << 15;
  static constexpr size_t kReach = 4;  // slots that a word may occupy, from the one of its hash on
  static constexpr size_t kInline = 3;
  static constexpr size_t kMaxCount = 255;
  static constexpr size_t kMaxSpilled = 1 << 20;  // limit at which the cache starts empty again

  struct alignas(32) Slot {
    ShortKey word;
    int32_t ids[kInline];  // above kInline: ids[0] is an index into spilled_ids_ and spilled_ranges_
    uint8_t count = 0;
    uint8_t ranges[kInline];  // begin and end in the word, four bits each
  };

  Tokens tokens_of(const Slot& slot) const {
    if (slot.count <= kInline) return {slot.ids, slot.ranges, slot.count};
    const auto first = static_cast<size_t>(slot.ids[0]);
    return {&spilled_ids_[first], &spilled_ranges_[first], slot.count};
  }

  std::vector<Slot> slots_{kReach};  // the size until the first insert
  size_t mask_ = 0;
  std::vector<int32_t> spilled_ids_;
  std::vector<uint8_t> spilled_ranges_;
};

}  // namespace portatune::text
