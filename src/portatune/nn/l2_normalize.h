// Vectors of length 1.
#pragma once

#include <cstdint>

#include "portatune/graph.h"

namespace portatune::nn {

/// Computes x / max(|x|, eps), where |x| is the Euclidean norm along `axis`, as torch.nn.functional.normalize does. The
/// gradient of a zero vector is finite.
/// x        of a float type
/// eps      the square of it must be a normal number of that type
/// returns  the shape of x
Value l2_normalize(const Value& x, int64_t axis, double eps);

}  // namespace portatune::nn
