#include "portune/data/random.h"

namespace portune::data {

// Hashing the seed first keeps (seed, epoch + 1) apart from (seed + 1, epoch).
Random::Random(uint64_t seed, int64_t epoch)
    : counter_(Random(Random(seed).next() + static_cast<uint64_t>(epoch)).next()) {}

uint64_t Random::next() {
  counter_ += 0x9E3779B97F4A7C15;
  uint64_t z = counter_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

uint64_t Random::below(uint64_t bound) {
  // 2^64 is not a multiple of every bound: the first 2^64 mod bound values would favour small results.
  const uint64_t skipped = (0 - bound) % bound;
  uint64_t value = next();
  while (value < skipped) value = next();
  return value % bound;
}

}  // namespace portune::data
