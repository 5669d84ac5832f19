// Resuming in the folder of a run, which may be finished.
#pragma once

#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Whether the output folder has the finished model of this run, so that resuming has nothing to do; reports it.
/// training  options with total_steps
/// errors    UsageError if that run had other options; OutputError if it had another number of steps and has left no
///           checkpoint to resume from
bool is_finished(const RunPlan& plan, const TrainingOptions& training, Events& events);

/// Continues from the checkpoint that the run starts from, if there is one, and reports it; of a finished run that is
/// trained further also the learning rate.
/// errors  those of Trainer::resume; UsageError if more steps have been made than are requested
void resume(Trainer& trainer, const RunPlan& plan, const TrainingOptions& training, Events& events);

}  // namespace portatune::run
