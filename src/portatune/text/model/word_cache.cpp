#include "portatune/text/model/word_cache.h"

#include <algorithm>

namespace portatune::text {
namespace {

uint8_t range_of(const Piece& token) { return static_cast<uint8_t>(token.begin << 4 | token.end); }

bool has_range(const Piece& token) { return token.begin <= token.end && token.end <= ShortKey::kMaxBytes; }

}  // namespace

void WordCache::insert(const ShortKey& word, uint64_t hash, std::span<const Piece> tokens) {
  if (tokens.empty() || tokens.size() > kMaxCount || !std::all_of(tokens.begin(), tokens.end(), has_range)) return;
  if (mask_ == 0) {
    slots_.resize(kSlots + kReach);
    mask_ = kSlots - 1;
  }
  if (spilled_ids_.size() > kMaxSpilled) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    spilled_ids_.clear();
    spilled_ranges_.clear();
  }
  Slot* const first = &slots_[hash & mask_];
  Slot* slot = std::find_if(first, first + kReach, [](const Slot& s) { return s.word.empty(); });
  // Bits of the hash that the index does not use select the word to replace.
  if (slot == first + kReach) slot = first + hash / kSlots % kReach;
  slot->word = word;
  slot->count = static_cast<uint8_t>(tokens.size());
  if (tokens.size() <= kInline) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      slot->ids[i] = tokens[i].id;
      slot->ranges[i] = range_of(tokens[i]);
    }
    return;
  }
  slot->ids[0] = static_cast<int32_t>(spilled_ids_.size());
  for (const Piece& token : tokens) {
    spilled_ids_.push_back(token.id);
    spilled_ranges_.push_back(range_of(token));
  }
}

}  // namespace portatune::text
