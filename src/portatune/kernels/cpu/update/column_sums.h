// Sums over rows, of which the gradient of a bias is one.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// sums[j] += sum over `rows` rows of x[i][j]. T is float or Bfloat16.
/// stride  elements from one row to the next
template <class T>
void add_columns(const T* x, int64_t rows, int64_t stride, int64_t columns, float* sums);

/// sums[j] = sum over rows of x[i][j], computed in float: the same for any number of threads. x is [rows, columns].
template <class T>
void column_sums(const Workers& workers, int64_t rows, int64_t columns, const T* x, T* sums);

}  // namespace portatune::kernels
