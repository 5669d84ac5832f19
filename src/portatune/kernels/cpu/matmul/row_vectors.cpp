#include "portatune/kernels/cpu/matmul/row_vectors.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/matmul/lanes.h"

namespace portatune::kernels {
namespace {

// Columns of the result whose sums are in registers at the same time, for this number of vectors of rows.
template <int64_t vectors>
constexpr int64_t kColumnsAtOnce = vectors == 1 ? 16 : 24 / vectors;

// x [rows, in] transposed, [in, vectors * kLanes]; rows beyond those of x are zero.
std::vector<float> transposed(const float* x, int64_t rows, int64_t in, int64_t vectors) {
  std::vector<float> lanes(static_cast<size_t>(in * vectors * kLanes));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < in; ++k) lanes[static_cast<size_t>(k * vectors * kLanes + r)] = x[r * in + k];
  }
  return lanes;
}

// Computes x w^T for `columns` rows of w, as vectors of rows: sums [columns, vectors * kLanes]. The compiler keeps the
// sums in registers only if all loops over them are unrolled.
template <int64_t vectors, int64_t columns>
PORTATUNE_INLINE void multiply_columns(int64_t in, const float* x, const float* w, float* sums) {
  Floats totals[columns][vectors] = {};
  for (int64_t k = 0; k < in; ++k, x += vectors * kLanes) {
    // The next columns: rows of w are too short for the processor to detect the pattern in time.
    if (k % kLanes == 0) {
      for (int64_t c = 0; c < columns; ++c) __builtin_prefetch(w + (columns + c) * in + k, 0, 2);
    }
    Floats rows[vectors];
#pragma GCC unroll 4
    for (int64_t v = 0; v < vectors; ++v) std::memcpy(&rows[v], x + v * kLanes, sizeof(Floats));
#pragma GCC unroll 16
    for (int64_t c = 0; c < columns; ++c) {
      const float weight = w[c * in + k];
#pragma GCC unroll 4
      for (int64_t v = 0; v < vectors; ++v) totals[c][v] += rows[v] * weight;
    }
  }
#pragma GCC unroll 16
  for (int64_t c = 0; c < columns; ++c) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < vectors; ++v) std::memcpy(sums + (c * vectors + v) * kLanes, &totals[c][v], sizeof(Floats));
  }
}

// Computes columns of the result.
template <int64_t vectors, int64_t columns>
PORTATUNE_INLINE void write_columns(const LinearShape& shape, const float* x, const float* w, const float* bias,
                                    int64_t first, float* y) {
  float sums[columns * vectors * kLanes];
  multiply_columns<vectors, columns>(shape.in, x, w + first * shape.in, sums);
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const float offset = bias == nullptr ? 0 : bias[first + c];
      y[r * shape.out + first + c] = sums[c * vectors * kLanes + r] + offset;
    }
  }
}

template <int64_t vectors>
PORTATUNE_SIMD void multiply_range(const LinearShape& shape, const float* x, const float* w, const float* bias,
                                   int64_t begin, int64_t end, float* y) {
  constexpr int64_t kAtOnce = kColumnsAtOnce<vectors>;
  int64_t column = begin;
  for (; column + kAtOnce <= end; column += kAtOnce) write_columns<vectors, kAtOnce>(shape, x, w, bias, column, y);
  for (; column < end; ++column) write_columns<vectors, 1>(shape, x, w, bias, column, y);
}

}  // namespace

bool suit_row_vectors(const LinearShape& shape) {
  return shape.type == DType::kFloat32 && 12 <= shape.rows && shape.rows <= 48 && simd_version() == "x86-64-v4";
}

void linear_row_vectors(const Workers& workers, const LinearShape& shape, const float* x, const float* w,
                        const float* bias, float* y) {
  const int64_t vectors = (shape.rows + kLanes - 1) / kLanes;
  const std::vector<float> lanes = transposed(x, shape.rows, shape.in, vectors);
  constexpr decltype(&multiply_range<1>) kByVectors[] = {multiply_range<1>, multiply_range<2>, multiply_range<3>,
                                                         multiply_range<4>};
  const auto multiply = kByVectors[vectors - 1];
  constexpr int64_t kGrainMultiple = 48;  // a multiple of all kColumnsAtOnce
  const int64_t columns = kPieceBytes / (shape.in * static_cast<int64_t>(sizeof(float)));
  const int64_t grain = std::max<int64_t>(1, columns / kGrainMultiple) * kGrainMultiple;
  parallel_ranges(workers, shape.out, grain,
                  [&](int64_t begin, int64_t end) { multiply(shape, lanes.data(), w, bias, begin, end, y); });
}

}  // namespace portatune::kernels
