// Rows and batches as commands read them.
#pragma once

#include "portune/data.h"
#include "portune/tasks.h"

namespace portune::cli {

/// The same, but a signal that was caught ends the pass over it with Interrupted.
data::Dataset interruptible(const data::Dataset& dataset);

/// Batches of all rows in their order, prepared ahead.
data::Dataset evaluation_batches(const RowTask& task, const data::Dataset& rows, int64_t size, RowTask::Labels labels);

}  // namespace portune::cli
