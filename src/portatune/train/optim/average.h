// The exponential moving average of the weights.
#pragma once

#include <memory>

#include "portatune/train/optim/optimizer.h"

namespace portatune::optim {

/// Name of the slot with the average of a weight.
inline constexpr const char* kAverageSlot = "ema";

/// The optimizer with a further slot, the last one. It becomes the weight at the first update, and
/// decay slot + (1 - decay) weight at each later one.
/// source  torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn
std::unique_ptr<const Optimizer> with_average(std::unique_ptr<const Optimizer> optimizer, double decay);

}  // namespace portatune::optim
