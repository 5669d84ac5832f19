// Rows for commands that need the shapes of batches and have no data.
#pragma once

#include "portatune/cli/commands.h"
#include "portatune/data.h"
#include "portatune/run/events.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// The arguments of a task without rows. If neither --labels nor config.json names the classes of a classification,
/// there are two, which is reported.
/// errors  UsageError for a task that needs data: one that is not Portatune's own
ModelArguments without_rows(ModelArguments model, run::Events& events);

/// Rows of which the task makes at least one batch.
data::Dataset sample_rows(const ModelArguments& model, const RowTask& task);

}  // namespace portatune::cli
