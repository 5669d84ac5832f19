#include "portatune/nn/l2_normalize.h"

#include "portatune/ops.h"

namespace portatune::nn {

// The maximum of the squares, not of the norms, keeps the square root away from 0, where it has no gradient.
Value l2_normalize(const Value& x, int64_t axis, double eps) {
  // In float16 the square of eps would be 0.
  const Value wide = x.dtype() == DType::kFloat64 ? x : convert(x, DType::kFloat32);
  const Value square = sum(wide * wide, {axis}, ReducedAxes::kKeep);
  return convert(wide / sqrt(maximum(square, full(square.type(), eps * eps))), x.dtype());
}

}  // namespace portatune::nn
