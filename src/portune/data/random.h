// Random numbers that are the same on every machine, which those of the C++ library are not.
#pragma once

#include <cstdint>

namespace portune::data {

/// SplitMix64: a counter, hashed. Its state is one number, and any number is a good seed.
/// source  Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", doi:10.1145/2660193.2660195
class Random {
 public:
  explicit Random(uint64_t seed) : counter_(seed) {}
  /// The stream of (seed, epoch): unrelated for different epochs.
  Random(uint64_t seed, int64_t epoch);

  uint64_t next();
  /// Each of 0, ..., bound - 1 is equally likely. bound > 0.
  uint64_t below(uint64_t bound);

 private:
  uint64_t counter_;
};

}  // namespace portune::data
