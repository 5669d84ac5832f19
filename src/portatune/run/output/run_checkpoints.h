// The checkpoints of a run: their number while it trains and at its end.
#pragma once

#include <cstdint>

#include "portatune/run/output/disk_space.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

CheckpointOptions checkpoints_of(const RunOptions& a);

/// The saves that the run still makes.
/// total_steps  steps of the whole run
SavesOfRun saves_of(const RunPlan& plan, int64_t steps_made, int64_t total_steps);

/// Removes the checkpoints of an earlier run if the output may be overwritten and this run does not resume one of them.
/// All processes call it.
/// errors  OutputError if one cannot be removed
void remove_replaced_run(const RunPlan& plan);

/// Removes the checkpoints that a finished run does not keep.
void remove_surplus_checkpoints(const RunOptions& a, Events& events);

}  // namespace portatune::run
