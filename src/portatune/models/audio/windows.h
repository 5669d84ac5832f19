// Windows of an array as rows, with which a convolution becomes a matrix product.
#pragma once

#include "portatune/graph.h"

namespace portatune::models {

/// The elements of each window of x, one after the other: a convolution without padding is linear() over them.
/// x        [batch, length, features]
/// returns  [batch, windows, kernel * features], with (length - kernel) / stride + 1 windows
/// errors   ShapeError if x is shorter than the kernel
Value windows(const Value& x, int64_t kernel, int64_t stride);

}  // namespace portatune::models
