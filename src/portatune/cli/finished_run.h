// Resuming in the folder of a run, which may be finished.
#pragma once

#include "portatune/cli/commands.h"

namespace portatune::cli {

/// Whether --resume finds the model of this very run in --output, with nothing left to do; says so then.
/// training  with total_steps
/// errors    UsageError if that run had other options; OutputError if it had another number of steps and has left no
///           checkpoint to go on from
bool is_finished(const FitArguments& a, const TrainingOptions& training);

/// Continues from the checkpoint that the run starts from, if there is one, and says so. Also says what that means for
/// the learning rate if a finished run is trained further.
/// errors  those of Trainer::resume; UsageError if more steps have been made than are asked for
void resume(Trainer& trainer, const FitArguments& a, const TrainingOptions& training);

}  // namespace portatune::cli
