#include "portatune/nn/l2_normalize.h"

#include "portatune/ops.h"

namespace portatune::nn {

// The maximum of the squares, not of the norms, keeps the square root away from 0, where it has no gradient.
Value l2_normalize(const Value& x, int64_t axis, double eps) {
  const Value square = sum(x * x, {axis}, ReducedAxes::kKeep);
  return x / sqrt(maximum(square, full(square.type(), eps * eps)));
}

}  // namespace portatune::nn
