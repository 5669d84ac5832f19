// From strings to ids: the flat hash table behind the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/short_key.h"

namespace portatune::text {

/// Open addressing with linear probing, at most half full. Strings of up to 15 bytes, nearly all of a vocabulary, are
/// compared in the slot itself; longer ones are looked up in a second table that points to where they are stored.
class PieceTable {
 public:
  static constexpr int32_t kAbsent = -1;

  /// Makes room for that many strings of up to 15 bytes.
  void reserve(size_t pieces);

  /// Maps `piece`, which is not empty, to `id` >= 0. The last one wins. Returns whether the piece is new.
  bool insert(std::string_view piece, int32_t id);

  /// The id, or kAbsent.
  int32_t find(std::string_view piece) const {
    if (piece.size() <= ShortKey::kMaxBytes) return piece.empty() ? kAbsent : find(ShortKey::of(piece));
    return find_long(piece);
  }
  int32_t find(const ShortKey& key) const { return find(key, key.hash()); }
  /// `hash` is that of `key`.
  int32_t find(const ShortKey& key, uint64_t hash) const {
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.key == key) return slot.id;
      if (slot.key.empty()) return kAbsent;
    }
  }

  /// Bytes of the longest string.
  size_t longest() const { return longest_; }

 private:
  struct Slot {
    ShortKey key;
    int32_t id = kAbsent;
  };
  struct LongSlot {
    uint32_t begin = 0, size = 0;  // in long_bytes_; size 0: free
    int32_t id = kAbsent;
  };

  int32_t find_long(std::string_view piece) const;
  bool insert_short(const ShortKey& key, int32_t id);
  bool insert_long(std::string_view piece, int32_t id);
  std::string_view text_of(const LongSlot& slot) const { return {long_bytes_.data() + slot.begin, slot.size}; }
  size_t long_slot_of(std::string_view piece) const;  // where it is, or would go

  std::vector<Slot> slots_{2};
  size_t mask_ = 1;
  size_t used_ = 0;
  std::vector<LongSlot> long_slots_{2};
  size_t long_used_ = 0;
  std::string long_bytes_;
  size_t longest_ = 0;
};

}  // namespace portatune::text
