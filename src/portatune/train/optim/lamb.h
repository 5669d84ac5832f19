// Adam with a learning rate for each layer.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

/// LAMB with the slots of AdamW. The update of AdamW, with its decay, is scaled to the norm of the weight, if neither
/// is 0.
/// adapted  the weights whose update is scaled; others keep that of AdamW
/// source   You et al. 2019, arXiv:1904.00962, algorithm 2
std::unique_ptr<const Optimizer> lamb(const AdamWOptions& options, WeightDecayOf decay_of = WeightDecayOf::kMatrices,
                                      WeightDecayOf adapted = WeightDecayOf::kMatrices);

}  // namespace portatune::optim
