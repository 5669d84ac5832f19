// What words that were seen before have become.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portune/text/model/short_key.h"

namespace portune::text {

/// A hash table of fixed size from words of up to 15 bytes to their ids, keys and up to three ids inline: one cache
/// line a word. When its neighbourhood is full a word takes another's place.
class WordCache {
 public:
  WordCache() : slots_(kSlots + kReach) {}

  /// The ids, or empty if the word is not known. Valid until the next insert. `hash` is that of `word`.
  std::span<const int32_t> find(const ShortKey& word, uint64_t hash) const {
    const Slot* slot = &slots_[hash & (kSlots - 1)];
    for (const Slot* end = slot + kReach; slot != end; ++slot) {
      if (slot->word == word) return ids_of(*slot);
    }
    return {};
  }

  /// `word` is not there yet; `ids` is not empty. Returns the ids as kept.
  std::span<const int32_t> insert(const ShortKey& word, uint64_t hash, std::span<const int32_t> ids);

 private:
  static constexpr size_t kSlots = 1 << 15;
  static constexpr size_t kReach = 4;  // slots that a word may stand in, from the one of its hash on
  static constexpr size_t kInline = 3;
  static constexpr size_t kMaxSpilled = 1 << 20;  // then the cache starts anew

  struct alignas(32) Slot {
    ShortKey word;
    int32_t count = 0;
    int32_t ids[kInline];  // more than kInline: ids[0] is an index into spilled_
  };

  std::span<const int32_t> ids_of(const Slot& slot) const {
    const auto count = static_cast<size_t>(slot.count);
    return {count <= kInline ? slot.ids : &spilled_[static_cast<size_t>(slot.ids[0])], count};
  }

  std::vector<Slot> slots_;
  std::vector<int32_t> spilled_;
};

}  // namespace portune::text
