// How far two runs of one training are apart, and how far they may be.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/tensor.h"

namespace portatune::parity {

/// |a - b| relative to the larger of |a| and |b|; 0 if both are 0, infinite if one of them is not finite.
double relative_difference(double a, double b);

/// What one run has of a parameter after a step: float32 arrays of one shape.
struct ParameterState {
  Tensor value;
  Tensor first_moment;  ///< of Adam: the mean of the gradients so far, the later ones weighing more
};

/// One parameter in two runs. An element that is not finite in one of them is infinitely far apart.
struct Distance {
  double gradient = 0;          ///< largest |difference| of two elements of the first moments
  double largest_gradient = 0;  ///< largest finite |element| of these
  double parameter = 0;         ///< mean |difference| of the elements that have been updated, but for noise
};
/// noise   a gradient below this share of the parameter's largest is taken for rounding, and its element is not
/// compared:
///         the part of the keys in the one bias of query, key and value, say
/// errors  UsageError if shapes differ
Distance distance(const ParameterState& a, const ParameterState& b, double noise = 0);

/// What two runs that do the same may be apart by; docs/parity.md says why so much.
struct DriftTolerance {
  double loss = 0;       ///< relative_difference() of the losses
  double grad_norm = 0;  ///< that of the gradient's norms
  double gradient = 0;   ///< Distance::gradient, relative to the largest_gradient of the parameter so far
  double parameter = 0;  ///< Distance::parameter, relative to the learning rates so far together
  /// A Distance::gradient below this share of the largest gradient of the model is rounding, however small the
  /// gradients of the parameter are: the true gradient of an attention key bias is zero.
  double rounding = 0;
  /// Adam makes whole steps of gradients that are rounding. So a parameter is not compared if its gradients have stayed
  /// below this share of the largest of the model, nor are elements whose gradient is below this share of the largest
  /// of their parameter.
  double small = 0;

  /// The least scale for Distance::gradient, as a share of the largest gradient of the model: relative to it,
  /// `rounding` is `gradient`.
  double least_scale() const { return rounding / gradient; }
};
/// dtype  the coarser one of the two runs': float32 or bfloat16
DriftTolerance drift_tolerance(DType dtype);

}  // namespace portatune::parity
