// Matrix products in blocks that stay in the caches, for processors with AVX2 and without AVX-512. There oneDNN's
// products need twice the time for some layouts and sizes, among them the gradients of wide layers.
#pragma once

#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {

/// multiply() for all types of Gemm. The order of a sum depends on k alone.
void multiply_in_blocks(const Gemm& gemm, const void* a, const void* b, const void* bias, void* c);

}  // namespace portatune::kernels
