// What a program computes, as its graph says.
#pragma once

#include <map>

#include "portune/graph.h"

namespace portune {

/// Floating-point operations of all matrix products, those within decompositions included, by the type of their
/// operands. What a compiler makes of them does not matter, nor do kernels hide them. Those in the body of a
/// while_loop, which no training step has, are not counted.
std::map<DType, double> matrix_flops(const Function& function);

}  // namespace portune
