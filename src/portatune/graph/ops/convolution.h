// The cost of a convolution.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Floating-point operations of a convolution or of its gradients: a multiplication and an addition for each product; 0
/// for other nodes.
double convolution_flops(const Node& node);

}  // namespace portatune
