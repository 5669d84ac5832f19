// Rotary position embeddings.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

struct RotaryShape {
  int64_t batch, seq, heads, head_size;
  bool table_per_example;         ///< false: all examples share one table
  int64_t pairs = head_size / 2;  ///< pairs of each head that are rotated
};

/// Rotates the pair of elements j and j + pairs of each head by an angle: y1 = x1 cos - x2 sin, y2 = x2 cos + x1 sin;
/// copies elements from 2 pairs on.
/// x, y      [batch, seq, heads * head_size]; T is float or Bfloat16; the computation is in float32
/// cos, sin  [seq, pairs], or the same for each example
/// source    Su et al. 2021, arXiv:2104.09864, equation 34; pairs are taken from two halves, not from neighbours
template <class T>
void rotary(const Workers& workers, const RotaryShape& shape, const T* x, const float* cos, const float* sin, T* y);

}  // namespace portatune::kernels
