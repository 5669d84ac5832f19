// Adam with decoupled weight decay.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

/// AdamW with the slots "m" and "v": the means of the gradients and of their squares.
/// source  Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2, as in torch.optim.AdamW
std::unique_ptr<const Optimizer> adamw(const AdamWOptions& options, WeightDecayOf decay_of = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
