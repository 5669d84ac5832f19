#include "portatune/ops.h"

namespace portatune {
namespace {

// Subtracting the maximum does not change the result mathematically and prevents overflow in exp().
Value shifted(const Value& x, int64_t axis) { return x - stop_gradient(max(x, {axis}, ReducedAxes::kKeep)); }

}  // namespace

Value softmax(const Value& x, int64_t axis) {
  const Value e = exp(shifted(x, axis));
  return e / sum(e, {axis}, ReducedAxes::kKeep);
}

Value log_softmax(const Value& x, int64_t axis) {
  const Value s = shifted(x, axis);
  return s - log(sum(exp(s), {axis}, ReducedAxes::kKeep));
}

// maximum(x, 0) would share the gradient at 0, where torch has 0. A NaN stays a NaN.
Value relu(const Value& x) {
  const Value zero = full(x.type(), 0);
  return select(compare(Direction::kLessEqual, x, zero), zero, x);
}

}  // namespace portatune
