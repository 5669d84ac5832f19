// The square of a norm.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// Sum of x[i]^2 in double; it does not depend on the number of threads. T is float or Bfloat16.
template <class T>
double sum_of_squares(const Workers& workers, int64_t size, const T* x);

}  // namespace portatune::kernels
