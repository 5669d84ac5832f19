#include "portatune/kernels/cpu/update/column_sums.h"

#include <algorithm>
#include <array>
#include <vector>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

// Few rows are divided into bands of columns. With many rows, each piece of work has its own sums of all columns.
constexpr int64_t kRows = 512, kBand = 2048;

template <class T>
PORTATUNE_SIMD void add(const T* x, int64_t rows, int64_t stride, int64_t columns, float* __restrict sums) {
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
  if (rows <= kRows) {
    return parallel_ranges(workers, columns, kBand, [&](int64_t begin, int64_t end) {
      std::array<float, kBand> wide{};
      add(x + begin, rows, columns, end - begin, wide.data());
      std::transform(wide.data(), wide.data() + (end - begin), sums + begin, from_float<T>);
    });
  }
  const auto add_piece = [&](int64_t begin, int64_t end, float* part) {
    add(x + begin * columns, end - begin, columns, columns, part);
  };
  std::ranges::transform(parallel_sums(workers, rows, kRows, columns, add_piece), sums, from_float<T>);
}

template void add_columns(const float*, int64_t, int64_t, int64_t, float*);
template void add_columns(const Bfloat16*, int64_t, int64_t, int64_t, float*);
template void column_sums(const Workers&, int64_t, int64_t, const float*, float*);
template void column_sums(const Workers&, int64_t, int64_t, const Bfloat16*, Bfloat16*);

}  // namespace portatune::kernels
