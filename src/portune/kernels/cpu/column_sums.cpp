#include "portune/kernels/cpu/column_sums.h"

#include <algorithm>
#include <vector>

#include "portune/kernels/cpu/element.h"
#include "portune/kernels/cpu/simd.h"

namespace portune::kernels {
namespace {

constexpr int64_t kGrain = 512;  // rows a piece, each with its own sums

template <class T>
PORTUNE_SIMD void add(const T* x, int64_t rows, int64_t stride, int64_t columns, float* __restrict sums) {
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = x + i * stride;
    for (int64_t j = 0; j < columns; ++j) sums[j] += to_float(row[j]);
  }
}

}  // namespace

template <class T>
void add_columns(const T* x, int64_t rows, int64_t stride, int64_t columns, float* sums) {
  add(x, rows, stride, columns, sums);
}

template <class T>
void column_sums(const Workers& workers, int64_t rows, int64_t columns, const T* x, T* sums) {
  const std::vector<float> wide = parallel_sums(
      workers, rows, kGrain, columns,
      [&](int64_t begin, int64_t end, float* part) { add(x + begin * columns, end - begin, columns, columns, part); });
  std::ranges::transform(wide, sums, [](float sum) { return from_float<T>(sum); });
}

template void add_columns(const float*, int64_t, int64_t, int64_t, float*);
template void add_columns(const Bfloat16*, int64_t, int64_t, int64_t, float*);
template void column_sums(const Workers&, int64_t, int64_t, const float*, float*);
template void column_sums(const Workers&, int64_t, int64_t, const Bfloat16*, Bfloat16*);

}  // namespace portune::kernels
