// Steps of the sign of the momentum.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

struct LionOptions {
  double beta1 = 0.9;   ///< of the step, in [0, 1)
  double beta2 = 0.99;  ///< of the slot, in [0, 1)
  double weight_decay = 0;
};

/// Lion with the slot "m", the mean of the gradients by beta2. The weight falls by learning rate * (sign of the mean by
/// beta1 + decay * weight); the sign of 0 is 0.
/// source  Chen et al. 2023, arXiv:2302.06675, algorithm 2
std::unique_ptr<const Optimizer> lion(const LionOptions& options, WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
