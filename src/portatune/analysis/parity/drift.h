// Distance of two runs of one training, and its tolerance.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/tensor.h"

namespace portatune::parity {

/// |a - b| relative to the larger of |a| and |b|; 0 if both are 0, infinite if one of them is not finite.
double relative_difference(double a, double b);

/// The state of a parameter in one run after a step: float32 arrays of one shape.
struct ParameterState {
  Tensor value;
  Tensor first_moment;  ///< of Adam: the mean of the gradients so far, with larger weights for later ones
};

/// The distance of one parameter between two runs. An element that is non-finite in one of them is infinitely far
/// apart.
struct Distance {
  double gradient = 0;          ///< largest |difference| of two elements of the first moments
  double largest_gradient = 0;  ///< largest finite |element| of these
  double parameter = 0;         ///< mean |difference| of the updated elements, without noise
};
/// noise   share of the parameter's largest gradient below which a gradient counts as rounding, so that its element is
///         not compared: the keys' part of a joint query, key and value bias, say
/// errors  UsageError if shapes differ
Distance distance(const ParameterState& a, const ParameterState& b, double noise = 0);

/// The distance that two equivalent runs may have; docs/results/parity.md has the reasons.
struct DriftTolerance {
  double loss = 0;       ///< relative_difference() of the losses
  double grad_norm = 0;  ///< relative_difference() of the gradient norms
  double gradient = 0;   ///< Distance::gradient, relative to the largest_gradient of the parameter so far
  double parameter = 0;  ///< Distance::parameter, relative to the sum of the learning rates so far
  /// A Distance::gradient below this share of the largest gradient of the model is rounding, even if all gradients of
  /// the parameter are small: the true gradient of an attention key bias is zero.
  double rounding = 0;
  /// Adam makes whole steps of gradients that are rounding. So a parameter is not compared if its gradients have stayed
  /// below this share of the model's largest gradient, and an element is not compared if its gradient is below this
  /// share of the parameter's largest.
  double small = 0;

  /// The minimal scale for Distance::gradient, as a share of the largest gradient of the model. Relative to this scale
  /// `rounding` equals `gradient`.
  double least_scale() const { return rounding / gradient; }
};
/// dtype  the less precise dtype of the two runs: float32 or bfloat16
DriftTolerance drift_tolerance(DType dtype);

}  // namespace portatune::parity
