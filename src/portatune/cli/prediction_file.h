// The file that predict writes.
#pragma once

#include <memory>

#include "portatune/cli/commands.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// A line for each row, predicted or skipped, in the order of the rows: see prediction_format(). NAME.json is one
/// document, if the task has such a form. Tasks whose examples are not rows have their own lines.
/// rows    as the task reads them; they must outlive the file, and so must the task
/// errors  UsageError for a table, or --keep-columns, where lines are not of rows; those of ResultFile
std::unique_ptr<run::PredictionSink> prediction_file(const PredictArguments& arguments, const RowTask& task,
                                                     const data::Dataset& rows);

}  // namespace portatune::cli
