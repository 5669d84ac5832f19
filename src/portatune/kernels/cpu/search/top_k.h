// The largest elements of rows.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// The k largest elements of each of `rows` rows of `size` elements in descending order, of equal ones the first; and
/// their indices. A NaN gives an undefined order.
/// values, indices  [rows, k], with k <= size
void top_k(const Workers& workers, int64_t rows, int64_t size, int64_t k, const float* x, float* values,
           int32_t* indices);

}  // namespace portatune::kernels
