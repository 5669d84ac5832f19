// The logarithm of the sum of exponentials.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// log(sum(exp(x))) along the last axis, which the result does not have; -infinity where all elements are.
/// x  float32 [..., size]
Value log_sum_exp(const Value& x);

}  // namespace portatune
