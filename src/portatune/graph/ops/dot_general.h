// What a matrix product costs.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Floating-point operations of a node that is a dot_general, a multiplication and an addition for each product; 0 for
/// another.
double dot_flops(const Node& node);

}  // namespace portatune
