#include "portune/text/model/word_cache.h"

#include <algorithm>

namespace portune::text {

std::span<const int32_t> WordCache::insert(const ShortKey& word, uint64_t hash, std::span<const int32_t> ids) {
  if (spilled_.size() > kMaxSpilled) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    spilled_.clear();
  }
  Slot* const first = &slots_[hash & (kSlots - 1)];
  Slot* slot = std::find_if(first, first + kReach, [](const Slot& s) { return s.word.empty(); });
  // Bits of the hash that the index does not use choose the word that gives way.
  if (slot == first + kReach) slot = first + hash / kSlots % kReach;
  slot->word = word;
  slot->count = static_cast<int32_t>(ids.size());
  if (ids.size() <= kInline) {
    std::copy(ids.begin(), ids.end(), slot->ids);
  } else {
    slot->ids[0] = static_cast<int32_t>(spilled_.size());
    spilled_.insert(spilled_.end(), ids.begin(), ids.end());
  }
  return ids_of(*slot);
}

}  // namespace portune::text
