// The weights with which pixels of one side of an image are mixed when it is resized.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/image.h"

namespace portatune::image {

/// Weights are integers of 1/2^22, as Pillow has them: that many bits and a byte's eight leave the sum two to spare.
inline constexpr int kWeightBits = 22;

/// Pixel i of the result is the sum of source pixels first[i] ... first[i] + count - 1 times weights[i * count ...].
/// All of them lie within the source; some weights at the ends may be 0.
struct Taps {
  int64_t count = 0;
  std::vector<int64_t> first;
  std::vector<int32_t> weights;

  const int32_t* weights_of(int64_t i) const { return weights.data() + i * count; }
};

/// filter  not kNearest, which mixes nothing
Taps make_taps(Filter filter, int64_t source_size, int64_t result_size);

}  // namespace portatune::image
