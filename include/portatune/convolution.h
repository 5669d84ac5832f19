// The convolution of the graph.
#pragma once

#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// The window of a convolution along one axis.
struct ConvolutionAxis {
  int64_t stride = 1;
  int64_t low = 0, high = 0;  ///< zeros before and after x
  int64_t dilation = 1;       ///< distance of neighbours of the filter in x
};
struct ConvolutionOptions {
  std::vector<ConvolutionAxis> axes;  ///< one for each spatial axis
  int64_t groups = 1;                 ///< x and the result have this number of equal blocks of features, without
                                      ///< products between different blocks
};
/// Sums of products of the filter with each window of x: the cross-correlation of torch.nn.Conv1d and Conv2d, but with
/// the features as the last axis of x and of the result.
/// x       [batch, spatial axes..., in]
/// filter  [out, in / groups, spatial axes...], of the type of x
/// returns [batch, spatial axes..., out], of the type of x
/// errors  ShapeError if the filter does not fit x or its groups
Value convolution(const Value& x, const Value& filter, const ConvolutionOptions& options);

}  // namespace portatune
