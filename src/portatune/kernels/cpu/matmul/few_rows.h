// Matrix products of a few rows with a weight, for decoding token by token. Each weight is read once, in order, and
// used for all rows, so that a product takes as long as reading the weight from memory.
#pragma once

#include "portatune/kernels/cpu/matmul/linear.h"

namespace portatune::kernels {

/// Maximal number of rows for which they are faster than products by oneDNN, which repacks the weight in each call.
inline constexpr int64_t kFewRows = 16;

/// linear() and linear_dx() for at most kFewRows rows. Sums are in float32, in an order that does not depend on the
/// number of threads.
void linear_few_rows(const Workers& workers, const LinearShape& shape, const void* x, const void* w, const void* bias,
                     void* y);
void linear_dx_few_rows(const Workers& workers, const LinearShape& shape, const void* dy, const void* w, void* dx);

}  // namespace portatune::kernels
