// Rows and batches as commands read them.
#pragma once

#include "portatune/data.h"
#include "portatune/tasks.h"

namespace portatune::cli {

struct ModelArguments;

/// The same, but a signal that was caught ends the pass over it with Stopped.
data::Dataset interruptible(const data::Dataset& dataset);

/// As Dataset::count(), but a signal that was caught ends it with Stopped.
int64_t count(const data::Dataset& dataset);

/// How many examples a task makes of rows, but for bad ones that may be passed over.
int64_t count_examples(const ModelArguments& model, const RowTask& task, const data::Dataset& rows);

/// Batches of all rows in their order, prepared ahead; bad rows may be passed over.
data::Dataset evaluation_batches(const ModelArguments& model, const RowTask& task, const data::Dataset& rows,
                                 int64_t size, RowTask::Labels labels);

}  // namespace portatune::cli
