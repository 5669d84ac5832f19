// The horizontal pass of resizing.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/media/image/taps.h"

namespace portatune::image {

/// Four neighbouring pixels as 16-bit integers, in pairs: r0 r1 g0 g1 b0 b1 0 0, r2 r3 g2 g3 b2 b3 0 0. Processors
/// multiply such vectors and add neighbours in one instruction. The type is a vector extension of GCC and clang.
using FourPixels = int16_t __attribute__((vector_size(32)));

/// Resizes rows of one width to another. It holds a buffer for one row, so only one thread at a time may use it.
class RowResizer {
 public:
  RowResizer(Filter filter, int64_t source_width, int64_t result_width);

  /// Resizes one row of RGB, three bytes per pixel. Reads and writes up to kSlack bytes beyond the end.
  void operator()(const uint8_t* source, uint8_t* result);

 private:
  // The weights of four pixels by colour, in the order of FourPixels. Products need more than 16 bits, so a weight is
  // high * 2^15 + low.
  struct Weights {
    FourPixels high, low;
  };

  int64_t source_fours_;             // groups of four pixels in a source row
  int64_t steps_;                    // groups of four pixels for each pixel of the result
  std::vector<int64_t> first_pair_;  // for each pixel of the result: the first pair of its source pixels
  std::vector<Weights> weights_;     // steps_ elements for each pixel of the result
  std::vector<FourPixels> row_;
};

}  // namespace portatune::image
