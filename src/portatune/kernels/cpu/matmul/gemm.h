// Matrix products on the calling thread, by oneDNN.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/tensor.h"

namespace portatune::kernels {

/// Where a matrix lies in memory: element (i, j) is element i * row_stride + j * column_stride, and one of the two
/// strides is 1.
struct MatrixLayout {
  DType type;  ///< float32 or bfloat16
  int64_t row_stride, column_stride;

  bool operator==(const MatrixLayout&) const = default;
};

/// c [m, n] = a [m, k] b [k, n] + bias [n]; all sizes at least 1. Sums are in float32, whatever the types.
struct Gemm {
  int64_t m, n, k;
  MatrixLayout a, b, c;  ///< a and b of one type; c has column_stride 1
  bool has_bias = false;
  DType bias_type = DType::kFloat32;  ///< float32 or the type of a
  bool accumulate = false;            ///< add the product to what c holds; c must be float32

  bool operator==(const Gemm&) const = default;
};

/// Computes the product on the calling thread alone; many threads may call at the same time. The code that oneDNN
/// generates for a shape is kept per thread, for a bounded number of shapes.
void multiply(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);

/// Whether oneDNN has code of its own for this element type on this machine: neither slow reference loops nor an
/// emulation. multiply() goes by float32 where it has none for bfloat16.
bool gemm_is_native(DType type);

/// "avx512_core_bf16": what oneDNN may use of this machine, by its name for it.
std::string gemm_instruction_set();
/// "oneDNN 2.6.3, instruction set avx512_core_bf16": what results and speed depend on.
std::string gemm_version();

}  // namespace portatune::kernels
