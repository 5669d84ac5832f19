// What a program computes, as its graph says.
#pragma once

#include <map>

#include "portatune/graph.h"

namespace portatune {

/// Floating-point operations of all matrix products, those within decompositions included, by the type of their
/// operands. What a compiler makes of them does not matter, nor do kernels hide them. Neither those in the body of a
/// loop nor what remat() computes again is counted.
std::map<DType, double> matrix_flops(const Function& function);

}  // namespace portatune
