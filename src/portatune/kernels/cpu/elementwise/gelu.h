// GELU: x times the standard normal's cumulative distribution, exactly or in its tanh form.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

enum class GeluForm { kErf, kTanh };

/// y = gelu(x), elementwise; T is float or Bfloat16; the computation is in float32.
/// Error: 2e-7 |x| (kErf), before rounding to T. source: Hendrycks and Gimpel 2016, arXiv:1606.08415
template <class T>
void gelu(const Workers& workers, GeluForm form, int64_t size, const T* x, T* y);

/// dx = dy gelu'(x), elementwise.
template <class T>
void gelu_grad(const Workers& workers, GeluForm form, int64_t size, const T* x, const T* dy, T* dx);

}  // namespace portatune::kernels
