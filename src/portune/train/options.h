// Options that make no sense are refused before anything is loaded.
#pragma once

#include "portune/train.h"

namespace portune::train {

/// errors  UsageError naming the option, as TrainingOptions spells it
void check(const TrainingOptions& options);

/// errors  UsageError naming the option, as FitOptions spells it
void check(const FitOptions& options);

}  // namespace portune::train
