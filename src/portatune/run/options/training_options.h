// The options of the Trainer of a run.
#pragma once

#include "portatune/run/run_plan.h"

namespace portatune::run {

/// The training options with everything that a resumed run must have in common with the run, and the settings that the
/// model records.
/// examples  number of training examples
TrainingOptions training_options(const RunPlan& plan, const RowTask& task, int64_t examples);

}  // namespace portatune::run
