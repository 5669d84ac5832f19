// Matrix products of some dozens of rows with a weight, for decoding several texts or beams token by token. The rows of
// x are the lanes of vectors, so that a weight is read once, in its own order, without the copy that oneDNN makes of
// it.
#pragma once

#include "portatune/kernels/cpu/matmul/linear.h"

namespace portatune::kernels {

/// True if linear_row_vectors() is faster than products by oneDNN and linear_few_rows(): in float32 with 12 to 48 rows,
/// on machines with vectors of 16 floats.
bool suit_row_vectors(const LinearShape& shape);

/// linear() in float32 for at most 64 rows. Sums are in an order that does not depend on the number of threads.
void linear_row_vectors(const Workers& workers, const LinearShape& shape, const float* x, const float* w,
                        const float* bias, float* y);

}  // namespace portatune::kernels
