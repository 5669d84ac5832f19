// The loop of Trainer::fit.
#pragma once

#include "portatune/train/state.h"

namespace portatune::train {

/// Implements Trainer::fit. The host prepares and starts step n + 1 before it reads the loss of step n.
FitResult fit(TrainingState& state, const data::Dataset& batches, const FitOptions& options);

}  // namespace portatune::train
