// Linear layers: y = x w^T + bias, and its gradients.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"
#include "portatune/tensor.h"

namespace portatune::kernels {

/// The arrays of a linear layer: x [rows, in], w [out, in] as in a checkpoint, y [rows, out]; row-major, all sizes at
/// least 1.
struct LinearShape {
  int64_t rows, in, out;
  DType type;                         ///< type of x, w, y, dx and dy: float32 or bfloat16
  DType bias_type = DType::kFloat32;  ///< float32 or `type`
};

/// y = x w^T + bias; `bias` [out] may be null. Sums are in float32.
void linear(const Workers& workers, const LinearShape& shape, const void* x, const void* w, const void* bias, void* y);

/// dx = dy w.
void linear_dx(const Workers& workers, const LinearShape& shape, const void* dy, const void* w, void* dx);

/// dw = dy^T x and db = column sums of dy, both float32; `db` [out] may be null.
void linear_dw(const Workers& workers, const LinearShape& shape, const void* dy, const void* x, float* dw, float* db);

}  // namespace portatune::kernels
