// What words that were seen before have become.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portatune/text/model/model.h"
#include "portatune/text/model/short_key.h"

namespace portatune::text {

/// A hash table of fixed size from words of up to 15 bytes to their tokens, keys and up to three tokens inline: half a
/// cache line a word. When its neighbourhood is full a word takes another's place.
class WordCache {
 public:
  /// The tokens of a word, none if it is not known. Valid until the next insert.
  class Tokens {
   public:
    Tokens() = default;
    Tokens(const int32_t* ids, const uint8_t* places, size_t count) : ids_(ids), places_(places), count_(count) {}

    bool empty() const { return count_ == 0; }
    size_t size() const { return count_; }
    std::span<const int32_t> ids() const { return {ids_, count_}; }
    Piece operator[](size_t i) const {
      return {ids_[i], static_cast<uint32_t>(places_[i] >> 4), static_cast<uint32_t>(places_[i] & 15)};
    }

   private:
    const int32_t* ids_ = nullptr;
    const uint8_t* places_ = nullptr;
    size_t count_ = 0;
  };

  /// Brings near where find() will look first.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }

  /// `hash` is that of `word`.
  Tokens find(const ShortKey& word, uint64_t hash) const {
    const Slot* slot = &slots_[hash & mask_];
    for (const Slot* end = slot + kReach; slot != end; ++slot) {
      if (slot->word == word) return tokens_of(*slot);
    }
    return {};
  }

  /// Keeps the tokens of a word that is not there yet, unless there are none, or very many, or one ends behind byte 15.
  void insert(const ShortKey& word, uint64_t hash, std::span<const Piece> tokens);

 private:
  static constexpr size_t kSlots = 1 << 15;
  static constexpr size_t kReach = 4;  // slots that a word may stand in, from the one of its hash on
  static constexpr size_t kInline = 3;
  static constexpr size_t kMaxCount = 255;
  static constexpr size_t kMaxSpilled = 1 << 20;  // then the cache starts anew

  struct alignas(32) Slot {
    ShortKey word;
    int32_t ids[kInline];  // more than kInline: ids[0] is an index into spilled_ids_ and spilled_places_
    uint8_t count = 0;
    uint8_t places[kInline];  // begin and end in the word, four bits each
  };

  Tokens tokens_of(const Slot& slot) const {
    if (slot.count <= kInline) return {slot.ids, slot.places, slot.count};
    const auto first = static_cast<size_t>(slot.ids[0]);
    return {&spilled_ids_[first], &spilled_places_[first], slot.count};
  }

  std::vector<Slot> slots_{kReach};  // until the first insert
  size_t mask_ = 0;
  std::vector<int32_t> spilled_ids_;
  std::vector<uint8_t> spilled_places_;
};

}  // namespace portatune::text
