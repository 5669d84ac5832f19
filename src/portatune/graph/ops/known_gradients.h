// Values with gradients that are known before the backward pass.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// y, whose gradients with respect to `x` are `dx`. No gradient flows through y itself.
/// y   a float32 scalar that is computed from `x`, perhaps by a loop
/// dx  a value of the type of each x
Value with_gradients(const Value& y, const Values& x, const Values& dx);
/// True for the op of with_gradients(), whose first input is y. Only a backward pass needs the others.
bool is_with_gradients(const Op& op);

}  // namespace portatune
