#include "portatune/kernels/cpu/norm/rms_norm.h"

#include <algorithm>
#include <cmath>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kRows = 32;  // rows per piece of work

template <bool rounds_first, class T>
PORTATUNE_SIMD void normalise(int64_t rows, int64_t size, float eps, const T* x, const float* weight, T* y,
                              float* rstd) {
  for (int64_t i = 0; i < rows; ++i, x += size, y += size) {
    float squares = 0;
    for (int64_t j = 0; j < size; ++j) squares += to_float(x[j]) * to_float(x[j]);
    const float scale = 1.0F / std::sqrt(squares / static_cast<float>(size) + eps);
    for (int64_t j = 0; j < size; ++j) {
      const float n = to_float(x[j]) * scale;
      y[j] = from_float<T>((rounds_first ? to_float(from_float<T>(n)) : n) * weight[j]);
    }
    rstd[i] = scale;
  }
}

// Computes dx = rstd (g - n average(g n)) with n = x rstd and g = dy weight; adds to dweight.
template <class T>
PORTATUNE_SIMD void differentiate(int64_t rows, int64_t size, const RmsNormGradInputs<T> in, T* dx, float* dweight) {
  for (int64_t i = 0; i < rows; ++i) {
    const T *x = in.x + i * size, *dy = in.dy + i * size;
    T* row = dx + i * size;
    const float rstd = in.rstd[i];
    float sum = 0;
    for (int64_t j = 0; j < size; ++j) {
      const float d = to_float(dy[j]), n = to_float(x[j]) * rstd;
      sum += d * in.weight[j] * n;
      dweight[j] += d * n;
    }
    const float average = sum / static_cast<float>(size);
    for (int64_t j = 0; j < size; ++j) {
      row[j] = from_float<T>(rstd * (to_float(dy[j]) * in.weight[j] - to_float(x[j]) * rstd * average));
    }
  }
}

}  // namespace

template <class T>
void rms_norm(const Workers& workers, int64_t rows, int64_t size, const RmsNormOptions& options, const T* x,
              const float* weight, T* y, float* rstd) {
  const auto normalise_rows = options.rounds_first ? normalise<true, T> : normalise<false, T>;
  parallel_ranges(workers, rows, kRows, [&](int64_t begin, int64_t end) {
    normalise_rows(end - begin, size, options.eps, x + begin * size, weight, y + begin * size, rstd + begin);
  });
}

template <class T>
void rms_norm_grad(const Workers& workers, int64_t rows, int64_t size, const RmsNormGradInputs<T>& in, T* dx,
                   float* dweight) {
  const auto sums = parallel_sums(workers, rows, kRows, size, [&](int64_t begin, int64_t end, float* piece) {
    const RmsNormGradInputs<T> here{in.dy + begin * size, in.x + begin * size, in.weight, in.rstd + begin};
    differentiate(end - begin, size, here, dx + begin * size, piece);
  });
  std::ranges::copy(sums, dweight);
}

template void rms_norm(const Workers&, int64_t, int64_t, const RmsNormOptions&, const float*, const float*, float*,
                       float*);
template void rms_norm(const Workers&, int64_t, int64_t, const RmsNormOptions&, const Bfloat16*, const float*,
                       Bfloat16*, float*);
template void rms_norm_grad(const Workers&, int64_t, int64_t, const RmsNormGradInputs<float>&, float*, float*);
template void rms_norm_grad(const Workers&, int64_t, int64_t, const RmsNormGradInputs<Bfloat16>&, Bfloat16*, float*);

}  // namespace portatune::kernels
