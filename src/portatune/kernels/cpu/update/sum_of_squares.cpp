#include "portatune/kernels/cpu/update/sum_of_squares.h"

#include <numeric>
#include <vector>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kGrain = 1 << 16;  // elements per piece of work, each with its own sum

template <class T>
PORTATUNE_SIMD double add_squares(int64_t size, const T* x) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double value = to_float(x[i]);
    sum += value * value;
  }
  return sum;
}

}  // namespace

template <class T>
double sum_of_squares(const Workers& workers, int64_t size, const T* x) {
  std::vector<double> sums(static_cast<size_t>((size + kGrain - 1) / kGrain));
  parallel_ranges(workers, size, kGrain, [&](int64_t begin, int64_t end) {
    sums[static_cast<size_t>(begin / kGrain)] = add_squares(end - begin, x + begin);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template double sum_of_squares(const Workers&, int64_t, const float*);
template double sum_of_squares(const Workers&, int64_t, const Bfloat16*);

}  // namespace portatune::kernels
