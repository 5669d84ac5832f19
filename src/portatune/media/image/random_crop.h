// The random part of an image that a training step uses.
#pragma once

#include "portatune/base/random.h"
#include "portatune/media.h"

namespace portatune::image {

/// The sequence of random numbers that belongs to a key.
class Draws {
 public:
  explicit Draws(uint64_t key) : key_(key) {}

  /// A number in [0, 1).
  double fraction() { return portatune::fraction(split_mix_64(key_, drawn_++)); }
  double between(double low, double high) { return low + (high - low) * fraction(); }
  /// One of 0, ..., bound - 1. bound must be above 0, and small enough for the 53 bits of a fraction.
  int64_t below(int64_t bound) { return static_cast<int64_t>(fraction() * static_cast<double>(bound)); }

 private:
  uint64_t key_, drawn_ = 0;
};

struct Part {
  int64_t top = 0, left = 0;
  Size size;
};

/// A random part with 8 to 100 % of the area and sides of 3:4 to 4:3; a part in the middle if none of ten draws fits
/// into the image.
/// source  RandomResizedCrop of torchvision, after Szegedy et al. 2015, arXiv:1409.4842, section 6
Part random_crop(Size image, Draws& draws);

/// The same part of the same image decoded at another size.
Part scaled(const Part& part, Size from, Size to);

}  // namespace portatune::image
