// The task of a run, and the rows that it reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/sources.h"

namespace portatune::run {

/// Names of all tasks.
std::vector<std::string> task_names();

/// The origin of a task's classes.
enum class Classes { kOfModel, kOfRows };

/// Creates the task of the options, or the task of the model if they name none.
/// folder  the model folder, or the checkpoint that is resumed
/// files   the files of rows
/// errors  UsageError for options of another task, and what the task's constructor throws
std::unique_ptr<RowTask> make_task(const ModelOptions& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes);

/// The options for reading these columns of tables.
data::TableOptions table_options(const ModelOptions& model, std::vector<std::string> columns);

/// The rows of files, with the columns that the task needs.
data::Dataset read_rows(const ModelOptions& model, const std::vector<std::string>& files, const RowTask& task,
                        RowTask::Labels labels);

}  // namespace portatune::run
