// The cost of a matrix product.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Floating-point operations of a dot_general: a multiplication and an addition for each product; 0 for other nodes.
double dot_flops(const Node& node);

}  // namespace portatune
