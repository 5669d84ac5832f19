// The checkpoints of fit() in --output: how many there are, while it trains and in the end.
#pragma once

#include <cstdint>

#include "portatune/cli/commands.h"
#include "portatune/cli/disk_space.h"
#include "portatune/run/events.h"

namespace portatune::cli {

CheckpointOptions checkpoints_of(const FitArguments& a);

/// What the run still saves.
/// total_steps  steps of the whole run
SavesOfRun saves_of(const FitArguments& a, int64_t steps_made, int64_t total_steps);

/// Removes the checkpoints of an earlier run if --overwrite-output asks for that and this run does not go on from one
/// of them. Of several processes all call it.
/// errors  OutputError if one cannot be removed
void remove_replaced_run(const FitArguments& a);

/// Removes the checkpoints that are not to stay after a run that has ended well.
void remove_surplus_checkpoints(const FitArguments& a, run::Events& events);

}  // namespace portatune::cli
