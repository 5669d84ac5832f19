// The shapes of a run's batches: packed or padded, and to which lengths.
#pragma once

#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Chooses the shapes of batches by `packing` and `padding`, reports them, and sets them in plan and task. Afterwards
/// plan.packing is no longer automatic: another batch size gets the same kind of batches.
/// errors  those of choose_lengths() and chosen_packing()
void choose_shapes(RunPlan& plan, Events& events);

}  // namespace portatune::run
