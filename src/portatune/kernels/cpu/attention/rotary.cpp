#include "portatune/kernels/cpu/attention/rotary.h"

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kTokens = 32;  // tokens per piece of work

template <class T>
PORTATUNE_SIMD void turn_heads(int64_t heads, int64_t size, int64_t pairs, const T* __restrict x,
                               const float* __restrict cos, const float* __restrict sin, T* __restrict y) {
  for (int64_t head = 0; head < heads; ++head, x += size, y += size) {
    for (int64_t j = 0; j < pairs; ++j) {
      const float first = to_float(x[j]), second = to_float(x[pairs + j]);
      y[j] = from_float<T>(first * cos[j] - second * sin[j]);
      y[pairs + j] = from_float<T>(second * cos[j] + first * sin[j]);
    }
    for (int64_t j = 2 * pairs; j < size; ++j) y[j] = x[j];
  }
}

}  // namespace

template <class T>
void rotary(const Workers& workers, const RotaryShape& shape, const T* x, const float* cos, const float* sin, T* y) {
  const int64_t hidden = shape.heads * shape.head_size;
  parallel_ranges(workers, shape.batch * shape.seq, kTokens, [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      const int64_t angles = (shape.table_per_example ? token : token % shape.seq) * shape.pairs;
      turn_heads(shape.heads, shape.head_size, shape.pairs, x + token * hidden, cos + angles, sin + angles,
                 y + token * hidden);
    }
  });
}

template void rotary(const Workers&, const RotaryShape&, const float*, const float*, const float*, float*);
template void rotary(const Workers&, const RotaryShape&, const Bfloat16*, const float*, const float*, Bfloat16*);

}  // namespace portatune::kernels
