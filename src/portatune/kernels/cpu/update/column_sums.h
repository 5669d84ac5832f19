// Sums over rows, such as the gradient of a bias.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// Adds the sum over `rows` rows of x[i][j] to sums[j]. T is float or Bfloat16.
/// stride  elements from one row to the next
template <class T>
void add_columns(const T* x, int64_t rows, int64_t stride, int64_t columns, float* sums);

/// Computes sums[j] = sum over rows of x[i][j] in float. x is [rows, columns]. The result does not depend on the number
/// of threads.
template <class T>
void column_sums(const Workers& workers, int64_t rows, int64_t columns, const T* x, T* sums);

}  // namespace portatune::kernels
