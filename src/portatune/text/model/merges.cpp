#include "portatune/text/model/merges.h"

#include <algorithm>
#include <bit>

namespace portatune::text {
namespace {

constexpr size_t kBitsASlot = 4;

}  // namespace

void Merges::reserve(size_t merges) {
  const size_t size = std::bit_ceil(std::max<size_t>(2 * merges, 2));
  if (size <= slots_.size()) return;
  std::vector<Slot> old(size);
  old.swap(slots_);
  mask_ = size - 1;
  filter_.assign(std::max<size_t>(kBitsASlot * size / 64, 1), 0);
  filter_mask_ = filter_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.key != kFree) insert(static_cast<int32_t>(slot.key >> 32), static_cast<int32_t>(slot.key), slot.merge);
  }
}

void Merges::insert(int32_t left, int32_t right, Merge merge) {
  if (2 * (used_ + 1) > slots_.size()) reserve(2 * used_ + 1);
  const uint64_t key = key_of(left, right);
  const uint64_t hash = hash_of(key);
  filter_[hash / 64 & filter_mask_] |= uint64_t{1} << hash % 64;
  size_t i = hash & mask_;
  while (slots_[i].key != kFree && slots_[i].key != key) i = (i + 1) & mask_;
  used_ += slots_[i].key == kFree;
  slots_[i] = {key, merge};
}

}  // namespace portatune::text
