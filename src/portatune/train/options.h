// Checks of options before anything is loaded.
#pragma once

#include "portatune/train.h"
#include "portatune/train/programs.h"

namespace portatune::train {

/// errors  UsageError naming the option, as TrainingOptions spells it
void check(const TrainingOptions& options);

/// The options that are compiled into a step.
StepOptions step_options(const TrainingOptions& options, const Mesh& mesh = {});

/// Returns whether fit() saves checkpoints beside that before a step that stops training.
bool saves_checkpoints(const FitOptions& options);

/// errors  UsageError naming the option, as FitOptions spells it
void check(const FitOptions& options, const TrainingOptions& training = {});

}  // namespace portatune::train
