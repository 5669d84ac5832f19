// Steps by the root of the mean square of the gradients.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

struct RmsPropOptions {
  double alpha = 0.99;      ///< decay of the means, in [0, 1)
  double eps = 1e-8;        ///< added to the root, above 0
  double momentum = 0;      ///< in [0, 1)
  bool centered = false;    ///< whether the mean of the gradients is subtracted: the root is a standard deviation
  double weight_decay = 0;  ///< added to the gradient: decay * weight
};

/// RMSprop with the slots "v", the mean of the squared gradients; "momentum", if there is momentum; and "m", the mean
/// of the gradients, if centered. A step is gradient / (sqrt(v) + eps), or sqrt(v - m^2) if centered. The weight falls
/// by learning rate * step, or with momentum by learning rate * b, where b = momentum * b + step.
/// source  torch.optim.RMSprop; Tieleman and Hinton 2012, lecture 6.5 of "Neural networks for machine learning"; if
///         centered: Graves 2013, arXiv:1308.0850, equations 38 to 45
std::unique_ptr<const Optimizer> rmsprop(const RmsPropOptions& options,
                                         WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
