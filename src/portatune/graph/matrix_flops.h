// The amount of computation of a program, from its graph.
#pragma once

#include <map>

#include "portatune/graph.h"

namespace portatune {

/// Floating-point operations of all matrix products and convolutions by the type of their operands, including those in
/// decompositions, independent of kernels and of the compiler. Those of a loop over an index count in each iteration.
/// Operations in bodies of other loops, operations that remat() computes again, and those that no result needs are not
/// counted.
std::map<DType, double> matrix_flops(const Function& function);

}  // namespace portatune
