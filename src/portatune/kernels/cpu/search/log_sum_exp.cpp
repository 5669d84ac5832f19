#include "portatune/kernels/cpu/search/log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/kernels/cpu/elementwise/simd_math.h"

namespace portatune::kernels {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The largest element; a NaN is ignored. The lanes let the compiler vectorise the maximum despite NaNs.
PORTATUNE_SIMD float largest_of(const float* x, int64_t size) {
  constexpr int64_t kLanes = 64;
  float lanes[kLanes];
  std::fill(lanes, lanes + kLanes, kLowest);
  const int64_t whole = size / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  }
  float largest = kLowest;
  for (int64_t i = whole; i < size; ++i) largest = std::max(largest, x[i]);
  for (const float value : lanes) largest = std::max(largest, value);
  return largest;
}

PORTATUNE_SIMD float sum_of_exponentials(const float* x, int64_t size, float shift) {
  float sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += exp_nonpositive(x[i] - shift);
  return sum;
}

}  // namespace

void log_sum_exp(const Workers& workers, int64_t rows, int64_t size, const float* x, float* y) {
  parallel_for(workers, rows, [&](int64_t row) {
    const float* of_row = x + row * size;
    const float largest = largest_of(of_row, size), shift = largest == kLowest ? 0.0F : largest;
    y[row] = shift + std::log(sum_of_exponentials(of_row, size, shift));
  });
}

}  // namespace portatune::kernels
