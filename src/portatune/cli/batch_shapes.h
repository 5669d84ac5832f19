// The shapes of a run's batches: packed or padded, and to which lengths.
#pragma once

#include "portatune/run/events.h"
#include "portatune/tasks.h"

namespace portatune::cli {

struct FitArguments;

/// Follows --packing and --padding: chooses the shapes of batches, reports them, and sets them in arguments and task.
/// Afterwards a.packing is no longer automatic: another batch size gets the same kind of batches.
/// errors  those of choose_lengths() and chosen_packing()
void choose_shapes(FitArguments& a, RowTask& task, run::Events& events);

}  // namespace portatune::cli
