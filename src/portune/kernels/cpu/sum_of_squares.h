// The square of a norm.
#pragma once

#include <cstdint>

#include "portune/kernels/cpu/element.h"
#include "portune/kernels/cpu/workers.h"

namespace portune::kernels {

/// Sum of x[i]^2, in double: the same for any number of threads. T is float or Bfloat16.
template <class T>
double sum_of_squares(const Workers& workers, int64_t size, const T* x);

}  // namespace portune::kernels
