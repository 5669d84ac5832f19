// Stochastic gradient descent.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

struct SgdOptions {
  double momentum = 0;  ///< in [0, 1)
  bool nesterov = false;
  double weight_decay = 0;  ///< added to the gradient: decay * weight
};

/// Stochastic gradient descent, with the slot "momentum" if there is momentum: b = momentum * b + gradient; the weight
/// falls by learning rate * b, or with Nesterov momentum by learning rate * (gradient + momentum * b).
/// source  torch.optim.SGD with dampening 0; Sutskever et al. 2013, "On the importance of initialization and momentum
///         in deep learning"
std::unique_ptr<const Optimizer> sgd(const SgdOptions& options, WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
