#include "portatune/data/order/permutation.h"

#include <algorithm>
#include <bit>

#include "portatune/base/random.h"
#include "portatune/data/order/random.h"

namespace portatune::data {
namespace {

// A network with halves of two bits is far from random, so small sizes walk within a larger one.
constexpr int kMinHalfBits = 4;

}  // namespace

Permutation::Permutation(int64_t size, uint64_t seed, int64_t epoch)
    : size_(static_cast<uint64_t>(size)),
      half_bits_(std::max(kMinHalfBits, (static_cast<int>(std::bit_width(size_)) + 1) / 2)) {
  Random random(seed, epoch);
  for (uint64_t& key : keys_) key = random.next();
}

uint64_t Permutation::encrypt(uint64_t value) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_, right = value & mask;
  for (const uint64_t key : keys_) {
    const uint64_t mixed = left ^ (split_mix_64(key, right) & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

int64_t Permutation::operator()(int64_t index) const {
  uint64_t value = encrypt(static_cast<uint64_t>(index));
  while (value >= size_) value = encrypt(value);
  return static_cast<int64_t>(value);
}

}  // namespace portatune::data
