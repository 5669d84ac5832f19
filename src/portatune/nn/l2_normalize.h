// Vectors of length 1.
#pragma once

#include <cstdint>

#include "portatune/graph.h"

namespace portatune::nn {

/// Computes x / max(|x|, eps), where |x| is the Euclidean norm along `axis`, as torch.nn.functional.normalize does. The
/// gradient of a zero vector is finite. It computes in float32 at least.
/// x        of a float type
/// returns  the type of x
Value l2_normalize(const Value& x, int64_t axis, double eps);

}  // namespace portatune::nn
