// The flat hash table from strings to ids behind the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/short_key.h"

namespace portatune::text {

/// A hash table with open addressing and linear probing, at most half full. Strings of up to 15 bytes, nearly all of a
/// vocabulary, are compared in the slot itself. Longer strings are in a second table that points to their bytes.
class PieceTable {
 public:
  static constexpr int32_t kAbsent = -1;

  /// Reserves memory for `pieces` strings of up to 15 bytes.
  void reserve(size_t pieces);

  /// Maps `piece`, which must not be empty, to `id` >= 0. The last id counts. Returns true if the piece is new.
  bool insert(std::string_view piece, int32_t id);

  /// The id of a piece, or kAbsent.
  int32_t find(std::string_view piece) const {
    if (piece.size() <= ShortKey::kMaxBytes) return piece.empty() ? kAbsent : find(ShortKey::of(piece));
    return find_long(piece);
  }
  int32_t find(const ShortKey& key) const { return find(key, key.hash()); }
  /// The same with the hash of `key`.
  int32_t find(const ShortKey& key, uint64_t hash) const {
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.key == key) return slot.id;
      if (slot.key.empty()) return kAbsent;
    }
  }

  /// Size of the longest string in bytes.
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
  size_t long_slot_of(std::string_view piece) const;  // the slot of the piece, or the free slot for it

  std::vector<Slot> slots_{2};
  size_t mask_ = 1;
  size_t used_ = 0;
  std::vector<LongSlot> long_slots_{2};
  size_t long_used_ = 0;
  std::string long_bytes_;
  size_t longest_ = 0;
};

}  // namespace portatune::text
