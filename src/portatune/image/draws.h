// Random numbers of one image.
#pragma once

#include "portatune/base/random.h"

namespace portatune::image {

/// The numbers that belong to a key, one after the other.
class Draws {
 public:
  explicit Draws(uint64_t key) : key_(key) {}

  /// In [0, 1).
  double fraction() { return static_cast<double>(split_mix_64(key_, drawn_++) >> 11) * 0x1p-53; }
  double between(double least, double most) { return least + (most - least) * fraction(); }
  /// One of 0, ..., bound - 1. bound > 0, and small enough to be told apart by 53 bits.
  int64_t below(int64_t bound) { return static_cast<int64_t>(fraction() * static_cast<double>(bound)); }

 private:
  uint64_t key_, drawn_ = 0;
};

}  // namespace portatune::image
