// Random numbers for the changes of one image.
#pragma once

#include "portatune/base/random.h"

namespace portatune::image {

/// The sequence of random numbers that belongs to a key.
class Draws {
 public:
  explicit Draws(uint64_t key) : key_(key) {}

  /// A number in [0, 1).
  double fraction() { return static_cast<double>(split_mix_64(key_, drawn_++) >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * fraction(); }
  /// One of 0, ..., bound - 1. bound must be above 0, and small enough for the 53 bits of a fraction.
  int64_t below(int64_t bound) { return static_cast<int64_t>(fraction() * static_cast<double>(bound)); }

 private:
  uint64_t key_, drawn_ = 0;
};

}  // namespace portatune::image
