// The task of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/tasks/task_spec.h"

namespace portatune::run {

/// The task that the options name, or that of the model in the folder if they name none.
/// errors  UsageError for an unknown task; those of config.json
const TaskSpec& spec_of(const ModelOptions& model, const std::filesystem::path& folder);

/// errors  UsageError for a task that only predicts
void require_labels(const ModelOptions& model, const std::filesystem::path& folder);

/// Creates this task.
/// folder  the model folder, or the checkpoint that is resumed
/// files   the files of rows
/// errors  UsageError for options of another task, and for training of a task that only predicts; those of
///         TaskSpec::make
std::unique_ptr<RowTask> open_task(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes, Events& events);

/// errors  UsageError for a task that needs rows
void require_sample_rows(const ModelOptions& model);

/// Rows of which the task makes at least one batch, for commands that need the shapes of batches and have no rows.
data::Dataset sample_rows(const ModelOptions& model, const RowTask& task);

}  // namespace portatune::run
