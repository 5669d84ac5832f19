#include "portatune/data/order/random.h"

#include "portatune/base/random.h"

namespace portatune::data {

// The hash of the seed distinguishes (seed, epoch + 1) from (seed + 1, epoch).
Random::Random(uint64_t seed, int64_t epoch)
    : seed_(Random(Random(seed).next() + static_cast<uint64_t>(epoch)).next()) {}

uint64_t Random::next() { return split_mix_64(seed_, drawn_++); }

uint64_t Random::below(uint64_t bound) {
  // 2^64 is not a multiple of every bound: the first 2^64 mod bound values would favour small results.
  const uint64_t skipped = (0 - bound) % bound;
  uint64_t value = next();
  while (value < skipped) value = next();
  return value % bound;
}

}  // namespace portatune::data
