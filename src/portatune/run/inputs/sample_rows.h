// Rows for commands that need the shapes of batches and have no data.
#pragma once

#include "portatune/data.h"
#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// The options of a task without rows. If neither --labels nor config.json names the classes of a classification,
/// two are assumed and reported.
/// errors  UsageError for an added task, which needs data
ModelOptions without_rows(ModelOptions model, Events& events);

/// Rows of which the task makes at least one batch.
data::Dataset sample_rows(const ModelOptions& model, const RowTask& task);

}  // namespace portatune::run
