// What a matrix product costs.
#pragma once

#include "portune/graph.h"

namespace portune {

/// Floating-point operations of a node that is a dot_general, a multiplication and an addition for each product; 0 for
/// another.
double dot_flops(const Node& node);

}  // namespace portune
