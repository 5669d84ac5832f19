// Wider kernels of a feed-forward layer.
#pragma once

#include <cstdint>

#include "portatune/tensor.h"

namespace portatune::grow {

/// The random numbers that make copies of features differ.
struct CopyNoise {
  double deviation = 0;  ///< standard deviation, as a multiple of that of the tensor; 0: copies are equal
  uint64_t key = 0;
};

/// Copies of features along an axis.
struct Tiling {
  int64_t axis = 0;
  int64_t copies = 1;    ///< number of copies, with the original
  int64_t kernels = 1;   ///< number of kernels along the axis, each of which is copied by itself
  bool divides = false;  ///< whether elements are divided by `copies`, as the sum over all copies is that of one
};

/// The type of wider_tensor().
TensorType wider_type(TensorType type, const Tiling& tiling);
/// The features of a tensor, then their copies with noise. The result has the element type of the tensor.
/// errors  UsageError for elements of another than a float type
Tensor wider_tensor(const TensorView& tensor, const Tiling& tiling, const CopyNoise& noise);

/// An array of a float type with one value.
Tensor filled(const TensorType& type, double value);

}  // namespace portatune::grow
