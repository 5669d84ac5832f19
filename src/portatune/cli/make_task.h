// The task that --task names, and the rows that it reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/sources.h"

namespace portatune::cli {

/// The names that --task knows.
std::vector<std::string> task_names();

/// Where a task's classes come from.
enum class Classes { kOfModel, kOfRows };

/// The task of the arguments, or that of the folder's model.
/// folder  of the model: that of the arguments, or of a checkpoint that is resumed
/// files   of the rows
/// errors  UsageError for options of another task, and what the task's constructor throws
std::unique_ptr<RowTask> make_task(const ModelArguments& model, const std::filesystem::path& folder,
                                   const std::vector<std::string>& files, Classes classes);

/// How tables are read, and these of their columns.
data::TableOptions table_options(const ModelArguments& model, std::vector<std::string> columns);

/// The columns that the task needs of CSV, TSV or JSON Lines files, or of files of its own kind.
data::Dataset read_rows(const ModelArguments& model, const std::vector<std::string>& files, const RowTask& task,
                        RowTask::Labels labels);

}  // namespace portatune::cli
