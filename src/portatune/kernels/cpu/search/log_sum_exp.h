// The logarithm of the sum of exponentials.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// y[i] = log(sum over j of exp(x[i][j])) for `rows` rows of `size` elements; -infinity if all elements are.
void log_sum_exp(const Workers& workers, int64_t rows, int64_t size, const float* x, float* y);

}  // namespace portatune::kernels
