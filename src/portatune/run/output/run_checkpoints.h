// The checkpoints of a run: their number while it trains and at its end.
#pragma once

#include <cstdint>

#include "portatune/run/output/disk_space.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// total_steps  all steps of the run, of which an interval may be a part
CheckpointOptions checkpoints_of(const RunOptions& a, int64_t total_steps);

/// errors  UsageError for options that contradict checkpoints_of()
void check_checkpoints(const RunOptions& a);

/// The saves that the run still makes.
/// options  those of the whole run, with steps_per_epoch
SavesOfRun saves_of(const RunPlan& plan, int64_t steps_made, const FitOptions& options);

/// Removes the checkpoints of an earlier run if the output may be overwritten and this run does not resume one of them.
/// All processes call it.
/// errors  OutputError if one cannot be removed
void remove_replaced_run(const RunPlan& plan);

/// Removes the checkpoints that a finished run does not keep.
/// best_step      see FitResult::best_step
/// has_requested  whether an observer has asked for one, so that there are some in spite of SaveStrategy::kNo
void remove_surplus_checkpoints(const RunOptions& a, int64_t best_step, bool has_requested, Events& events);

}  // namespace portatune::run
