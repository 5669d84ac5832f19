#include "portatune/kernels/cpu/norm/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {
namespace {

constexpr int64_t kRows = 32;  // rows per piece of work

template <class T>
PORTATUNE_SIMD void normalise(int64_t rows, int64_t size, float eps, const T* x, const float* gamma, const float* beta,
                              T* y, float* mean, float* rstd) {
  for (int64_t i = 0; i < rows; ++i, x += size, y += size) {
    float sum = 0;
    for (int64_t j = 0; j < size; ++j) sum += to_float(x[j]);
    const float centre = sum / static_cast<float>(size);
    float squares = 0;
    for (int64_t j = 0; j < size; ++j) {
      const float centred = to_float(x[j]) - centre;
      squares += centred * centred;
    }
    const float scale = 1.0F / std::sqrt(squares / static_cast<float>(size) + eps);
    for (int64_t j = 0; j < size; ++j) {
      y[j] = from_float<T>((to_float(x[j]) - centre) * scale * gamma[j] + beta[j]);
    }
    mean[i] = centre;
    rstd[i] = scale;
  }
}

// Computes dx = rstd (g - average(g) - n average(g n)) with n = (x - mean) rstd and g = dy gamma; adds to dgamma and
// dbeta.
template <class T>
PORTATUNE_SIMD void differentiate(int64_t rows, int64_t size, const LayerNormGradInputs<T> in, T* dx, float* dgamma,
                                  float* dbeta) {
  for (int64_t i = 0; i < rows; ++i) {
    const T *x = in.x + i * size, *dy = in.dy + i * size;
    T* row = dx + i * size;
    const float mean = in.mean[i], rstd = in.rstd[i];
    float sum_g = 0, sum_gn = 0;
    for (int64_t j = 0; j < size; ++j) {
      const float d = to_float(dy[j]), n = (to_float(x[j]) - mean) * rstd, g = d * in.gamma[j];
      sum_g += g;
      sum_gn += g * n;
      dgamma[j] += d * n;
      dbeta[j] += d;
    }
    const float average_g = sum_g / static_cast<float>(size), average_gn = sum_gn / static_cast<float>(size);
    for (int64_t j = 0; j < size; ++j) {
      const float n = (to_float(x[j]) - mean) * rstd, g = to_float(dy[j]) * in.gamma[j];
      row[j] = from_float<T>(rstd * (g - average_g - n * average_gn));
    }
  }
}

}  // namespace

template <class T>
void layer_norm(const Workers& workers, int64_t rows, int64_t size, float eps, const T* x, const float* gamma,
                const float* beta, T* y, float* mean, float* rstd) {
  parallel_ranges(workers, rows, kRows, [&](int64_t begin, int64_t end) {
    normalise(end - begin, size, eps, x + begin * size, gamma, beta, y + begin * size, mean + begin, rstd + begin);
  });
}

template <class T>
void layer_norm_grad(const Workers& workers, int64_t rows, int64_t size, const LayerNormGradInputs<T>& in, T* dx,
                     float* dgamma, float* dbeta) {
  const auto sums = parallel_sums(workers, rows, kRows, 2 * size, [&](int64_t begin, int64_t end, float* piece) {
    const LayerNormGradInputs<T> here{in.dy + begin * size, in.x + begin * size, in.gamma, in.mean + begin,
                                      in.rstd + begin};
    differentiate(end - begin, size, here, dx + begin * size, piece, piece + size);
  });
  std::copy_n(sums.data(), size, dgamma);
  std::copy_n(sums.data() + size, size, dbeta);
}

template void layer_norm(const Workers&, int64_t, int64_t, float, const float*, const float*, const float*, float*,
                         float*, float*);
template void layer_norm(const Workers&, int64_t, int64_t, float, const Bfloat16*, const float*, const float*,
                         Bfloat16*, float*, float*);
template void layer_norm_grad(const Workers&, int64_t, int64_t, const LayerNormGradInputs<float>&, float*, float*,
                              float*);
template void layer_norm_grad(const Workers&, int64_t, int64_t, const LayerNormGradInputs<Bfloat16>&, Bfloat16*, float*,
                              float*);

}  // namespace portatune::kernels
