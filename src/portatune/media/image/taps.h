// The weights of source pixels in resizing, for one side of an image.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/media.h"

namespace portatune::image {

/// Number of bytes behind the last pixel of every Image. They allow loops to read and write whole vectors at its end.
inline constexpr int64_t kSlack = 32;

/// Weights are integers in units of 1/2^22, as in Pillow: with the eight bits of a byte, two bits remain for the sum.
inline constexpr int kWeightBits = 22;

/// Pixel i of the result is the sum of source pixels first[i] ... first[i] + count - 1 times weights[i * count ...].
/// All these pixels are within the source; some weights at the ends may be 0.
struct Taps {
  int64_t count = 0;
  std::vector<int64_t> first;
  std::vector<int32_t> weights;

  const int32_t* weights_of(int64_t i) const { return weights.data() + i * count; }
};

/// The weights for resizing a side.
/// filter  any but kNearest, which has no weights
Taps make_taps(Filter filter, int64_t source_size, int64_t result_size);

}  // namespace portatune::image
