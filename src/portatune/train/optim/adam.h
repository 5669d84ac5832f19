// Adam with the weight decay in the gradient.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

/// Adam with the slots "m" and "v": the means of the gradients and of their squares. The weight decay is added to the
/// gradient: weight_decay * weight.
/// source  Kingma and Ba 2014, arXiv:1412.6980, algorithm 1, as in torch.optim.Adam
std::unique_ptr<const Optimizer> adam(const AdamWOptions& options, WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
