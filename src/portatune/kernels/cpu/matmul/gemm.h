// Matrix products on the calling thread, by oneDNN or by kernels of our own (blocked.h).
#pragma once

#include <cstdint>
#include <string>

#include "portatune/tensor.h"

namespace portatune::kernels {

/// The layout of a matrix in memory: element (i, j) has index i * row_stride + j * column_stride. One of the two
/// strides is 1.
struct MatrixLayout {
  DType type;  ///< float32 or bfloat16
  int64_t row_stride, column_stride;

  bool operator==(const MatrixLayout&) const = default;
};

/// c [m, n] = a [m, k] b [k, n] + bias [n]; all sizes at least 1. Sums are in float32 for all types.
struct Gemm {
  int64_t m, n, k;
  MatrixLayout a, b, c;  ///< a and b have the same type; c has column_stride 1
  bool has_bias = false;
  DType bias_type = DType::kFloat32;  ///< float32 or the type of a
  bool accumulate = false;            ///< add the product to c, which must be float32

  bool operator==(const Gemm&) const = default;
};

/// Computes the product on the calling thread only; many threads may call it at the same time. Where oneDNN computes
/// it, its code for a shape is cached per thread, for a bounded number of shapes.
void multiply(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);

/// True if oneDNN has native code for this element type on this machine, neither slow reference loops nor an emulation.
bool gemm_is_native(DType type);
/// True if multiply() converts numbers of this type to float32: bfloat16 where it is not native, or slower.
bool gemm_widens(DType type);

/// The instruction set that oneDNN may use, by its name in oneDNN: "avx512_core_bf16".
std::string gemm_instruction_set();
/// The version on which results and speed depend: "oneDNN 2.6.3, instruction set avx512_core_bf16".
std::string gemm_version();

}  // namespace portatune::kernels
