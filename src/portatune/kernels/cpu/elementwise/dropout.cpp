#include "portatune/kernels/cpu/elementwise/dropout.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements per piece of work

template <class T>
PORTATUNE_SIMD void drop(const DropoutMask mask, uint32_t first, uint32_t size, const T* x, T* y) {
  for (uint32_t i = 0; i < size; ++i) {
    const bool keep = dropout_bits(mask.key0, mask.key1, first + i) >= mask.threshold;
    const float scaled = to_float(x[i]) * mask.scale;
    y[i] = from_float<T>(keep ? scaled : 0.0F);
  }
}

}  // namespace

template <class T>
void dropout(const Workers& workers, const DropoutMask& mask, int64_t size, const T* x, T* y) {
  parallel_ranges(workers, size, kGrain, [&](int64_t begin, int64_t end) {
    drop(mask, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin), x + begin, y + begin);
  });
}

template void dropout(const Workers&, const DropoutMask&, int64_t, const float*, float*);
template void dropout(const Workers&, const DropoutMask&, int64_t, const Bfloat16*, Bfloat16*);

}  // namespace portatune::kernels
