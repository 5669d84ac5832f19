// Convolutions over time in groups of features.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/workers.h"
#include "portatune/tensor.h"

namespace portatune::kernels {

/// The arrays of a convolution: x [batch, frames, in], filter [out, in / groups, kernel], y [batch, out_frames, out];
/// row-major, all sizes at least 1. Sums are in float32.
struct ConvolutionShape {
  int64_t batch, frames, out_frames, in, out, groups, kernel;
  int64_t low;  ///< frames of zeros before x; those after it follow from out_frames
  DType type;   ///< type of all arrays: float32 or bfloat16

  int64_t in_width() const { return in / groups; }
  int64_t out_width() const { return out / groups; }
};

/// y[t] = the sum over k of x[t + k - low] filter[k].
void convolution(const Workers& workers, const ConvolutionShape& shape, const void* x, const void* filter, void* y);

/// dfilter[k] = the sum over rows and t of x[t + k - low] dy[t].
void convolution_dfilter(const Workers& workers, const ConvolutionShape& shape, const void* x, const void* dy,
                         void* dfilter);

}  // namespace portatune::kernels
