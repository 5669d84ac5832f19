// The table of merges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace portatune::text {

/// A hash table from pairs of ids to rank and id of the merged token, with open addressing, at most half full. Most
/// look-ups are for pairs that do not merge. A filter with one bit for each hash, which fits into a processor's near
/// caches where the table does not, answers at least seven in eight of them.
class Merges {
 public:
  struct Merge {
    int32_t rank = -1;  ///< lower ranks merge first; -1: the pair does not merge
    int32_t id = 0;
    explicit operator bool() const { return rank >= 0; }
  };

  void reserve(size_t merges);
  /// Adds a merge. The last one for a pair counts. The ids and the rank must be at least 0.
  void insert(int32_t left, int32_t right, Merge merge);

  Merge find(int32_t left, int32_t right) const {
    const uint64_t key = key_of(left, right), hash = hash_of(key);
    if ((filter_[hash / 64 & filter_mask_] >> hash % 64 & 1) == 0) return {};
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].merge;
      if (slots_[i].key == kFree) return {};
    }
  }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};
  struct Slot {
    uint64_t key = kFree;
    Merge merge;
  };
  static uint64_t key_of(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }
  // Fibonacci hashing. The upper bits of the product depend on all bits of the key.
  static uint64_t hash_of(uint64_t key) { return (key ^ key >> 29) * 0x9E3779B97F4A7C15 >> 20; }

  std::vector<Slot> slots_{2};
  size_t mask_ = 1;
  std::vector<uint64_t> filter_{0};
  size_t filter_mask_ = 0;
  size_t used_ = 0;
};

}  // namespace portatune::text
