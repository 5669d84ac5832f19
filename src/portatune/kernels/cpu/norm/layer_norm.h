// Layer normalisation over rows, and its gradients.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// y = (x - mean) rstd gamma + beta for each of `rows` rows of `size` elements, with rstd = 1 / sqrt(variance + eps).
/// mean, rstd   float32 [rows], for the gradient
/// T            float or Bfloat16; the computation is in float32
/// source       Ba et al. 2016, arXiv:1607.06450
template <class T>
void layer_norm(const Workers& workers, int64_t rows, int64_t size, float eps, const T* x, const float* gamma,
                const float* beta, T* y, float* mean, float* rstd);

/// Operands and results of layer_norm, and the gradient of y.
template <class T>
struct LayerNormGradInputs {
  const T *dy, *x;
  const float *gamma, *mean, *rstd;
};

/// Computes dx [rows, size], dgamma [size] and dbeta [size]. Sums over rows do not depend on the number of threads.
template <class T>
void layer_norm_grad(const Workers& workers, int64_t rows, int64_t size, const LayerNormGradInputs<T>& in, T* dx,
                     float* dgamma, float* dbeta);

}  // namespace portatune::kernels
