// Root-mean-square normalisation over rows, and its gradients.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

struct RmsNormOptions {
  float eps;
  bool rounds_first = true;  ///< whether x rstd is rounded to T before the product with the weight, as in Llama
};

/// y = x rstd weight for each of `rows` rows of `size` elements, with rstd = 1 / sqrt(mean(x^2) + eps).
/// rstd     float32 [rows], for the gradient
/// T        float or Bfloat16; the computation is in float32
/// source   Zhang and Sennrich 2019, arXiv:1910.07467
template <class T>
void rms_norm(const Workers& workers, int64_t rows, int64_t size, const RmsNormOptions& options, const T* x,
              const float* weight, T* y, float* rstd);

/// Operands and results of rms_norm, and the gradient of y.
template <class T>
struct RmsNormGradInputs {
  const T *dy, *x;
  const float *weight, *rstd;
};

/// Computes dx [rows, size] and dweight [size]. Sums over rows do not depend on the number of threads.
template <class T>
void rms_norm_grad(const Workers& workers, int64_t rows, int64_t size, const RmsNormGradInputs<T>& in, T* dx,
                   float* dweight);

}  // namespace portatune::kernels
