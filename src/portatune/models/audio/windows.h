// Windows of an array as rows, with which a convolution becomes a matrix product.
#pragma once

#include "portatune/nn.h"

namespace portatune::models {

/// The elements of each window of x, one after the other: a convolution without padding is linear() over them.
/// x        [batch, length, features]
/// returns  [batch, windows, kernel * features], with (length - kernel) / stride + 1 windows
/// errors   ShapeError if x is shorter than the kernel
Value windows(const Value& x, int64_t kernel, int64_t stride);

/// A layer with a convolution over time, without padding.
struct ConvolutionLayer {
  int64_t features;  ///< of the result
  int64_t kernel;
  int64_t stride = 1;
  bool has_bias = true;
  double stddev;  ///< standard deviation of a new weight
  nn::Initializer bias = {nn::Initializer::Kind::kZeros};
};
/// The convolution as a matrix product; "weight" [features, in, kernel], "bias" [features].
/// x        [batch, length, in]
/// returns  [batch, windows, features]
Value convolution_over_time(const nn::Scope& s, const Value& x, const ConvolutionLayer& layer);

}  // namespace portatune::models
