// The loop of Trainer::fit.
#pragma once

#include "portune/train/state.h"

namespace portune::train {

/// See Trainer::fit. The host prepares and starts step n + 1 before it reads the loss of step n.
FitResult fit(TrainingState& state, const data::Dataset& batches, const FitOptions& options);

}  // namespace portune::train
