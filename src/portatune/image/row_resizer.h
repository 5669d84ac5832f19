// The pass of resizing that goes along the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/image/taps.h"

namespace portatune::image {

/// Four neighbouring pixels as 16-bit integers, two by two: r0 r1 g0 g1 b0 b1 0 0, r2 r3 g2 g3 b2 b3 0 0. Processors
/// multiply such vectors and add up neighbours in one instruction. As GCC and clang write vectors.
using FourPixels = int16_t __attribute__((vector_size(32)));

/// Resizes rows of one width to another. Keeps room for one row: not for several threads at a time.
class RowResizer {
 public:
  RowResizer(Filter filter, int64_t source_width, int64_t result_width);

  /// Rows of RGB, three bytes a pixel. Reads and writes up to kSlack bytes beyond the end.
  void operator()(const uint8_t* source, uint8_t* result);

 private:
  // The weights of four pixels, in their order and by colour; the products need more than 16 bits, hence a weight is
  // high * 2^15 + low.
  struct Weights {
    FourPixels high, low;
  };

  int64_t source_fours_;             // of a row
  int64_t steps_;                    // of four pixels, for each pixel of the result
  std::vector<int64_t> first_pair_;  // of the pixels that a pixel of the result is made of
  std::vector<Weights> weights_;     // steps_ for each pixel of the result
  std::vector<FourPixels> row_;
};

}  // namespace portatune::image
