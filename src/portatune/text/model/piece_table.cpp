#include "portatune/text/model/piece_table.h"

#include <algorithm>
#include <bit>

namespace portatune::text {
namespace {

// Hashes like ShortKey::hash, 8 bytes at a time.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  for (size_t at = 0; at < text.size(); at += 8) {
    ShortKey key{.low = hash};
    std::memcpy(&key.high, text.data() + at, std::min<size_t>(8, text.size() - at));
    hash = key.hash();
  }
  return hash;
}

size_t slots_for(size_t entries) { return std::bit_ceil(std::max<size_t>(2 * entries, 2)); }

}  // namespace

void PieceTable::reserve(size_t pieces) {
  if (slots_for(pieces) <= slots_.size()) return;
  std::vector<Slot> old(slots_for(pieces));
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    if (!slot.key.empty()) insert_short(slot.key, slot.id);
  }
}

bool PieceTable::insert(std::string_view piece, int32_t id) {
  longest_ = std::max(longest_, piece.size());
  return piece.size() <= ShortKey::kMaxBytes ? insert_short(ShortKey::of(piece), id) : insert_long(piece, id);
}

bool PieceTable::insert_short(const ShortKey& key, int32_t id) {
  if (2 * (used_ + 1) > slots_.size()) reserve(used_ + 1);
  size_t i = key.hash() & mask_;
  while (!slots_[i].key.empty() && slots_[i].key != key) i = (i + 1) & mask_;
  const bool is_new = slots_[i].key.empty();
  used_ += is_new;
  slots_[i] = {key, id};
  return is_new;
}

size_t PieceTable::long_slot_of(std::string_view piece) const {
  const size_t mask = long_slots_.size() - 1;
  size_t i = hash_of(piece) & mask;
  while (long_slots_[i].size != 0 && text_of(long_slots_[i]) != piece) i = (i + 1) & mask;
  return i;
}

bool PieceTable::insert_long(std::string_view piece, int32_t id) {
  if (2 * (long_used_ + 1) > long_slots_.size()) {
    std::vector<LongSlot> old(2 * long_slots_.size());
    old.swap(long_slots_);
    for (const LongSlot& slot : old) {
      if (slot.size != 0) long_slots_[long_slot_of(text_of(slot))] = slot;
    }
  }
  LongSlot& slot = long_slots_[long_slot_of(piece)];
  const bool is_new = slot.size == 0;
  if (is_new) {
    slot.begin = static_cast<uint32_t>(long_bytes_.size());
    slot.size = static_cast<uint32_t>(piece.size());
    long_bytes_ += piece;
    ++long_used_;
  }
  slot.id = id;
  return is_new;
}

int32_t PieceTable::find_long(std::string_view piece) const {
  if (piece.size() > longest_) return kAbsent;
  const LongSlot& slot = long_slots_[long_slot_of(piece)];
  return slot.size == 0 ? kAbsent : slot.id;
}

}  // namespace portatune::text
