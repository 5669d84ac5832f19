// Resuming in the folder of a run, which may be finished.
#pragma once

#include "portatune/cli/commands.h"
#include "portatune/run/events.h"

namespace portatune::cli {

/// Whether --resume finds the model of this very run in --output, with nothing left to do; reports that.
/// training  with total_steps
/// errors    UsageError if that run had other options; OutputError if it had another number of steps and has left no
///           checkpoint to go on from
bool is_finished(const FitArguments& a, const TrainingOptions& training, run::Events& events);

/// Continues from the checkpoint that the run starts from, if there is one, and reports it; of a finished run that is
/// trained further also the learning rate.
/// errors  those of Trainer::resume; UsageError if more steps have been made than are asked for
void resume(Trainer& trainer, const FitArguments& a, const TrainingOptions& training, run::Events& events);

}  // namespace portatune::cli
