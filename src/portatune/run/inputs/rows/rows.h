// Rows and batches as runs read them.
#pragma once

#include <optional>

#include "portatune/data.h"
#include "portatune/run.h"
#include "portatune/tasks.h"
#include "portatune/tasks/task_context.h"

namespace portatune::run {

using tasks::interruptible;

/// The options for reading these columns of tables.
data::TableOptions table_options(const ModelOptions& model, std::vector<std::string> columns);

/// The rows of files, with the columns that the task needs.
data::Dataset read_rows(const ModelOptions& model, const std::vector<std::string>& files, const RowTask& task,
                        RowTask::Labels labels);

/// Number of examples, like Dataset::count(). A stop request ends the count with Stopped.
int64_t count(const data::Dataset& dataset);

/// The same dataset without bad rows, if they may be skipped.
data::Dataset tolerant(const ModelOptions& model, const data::Dataset& dataset);

/// The first `most` rows; all if `most` is 0.
data::Dataset first_rows(const data::Dataset& rows, int64_t most);

/// Number of skipped rows, if rows may be skipped.
std::optional<int64_t> skipped_rows(const std::shared_ptr<data::BadRows>& bad_rows);

/// Number of examples that a task makes of rows, without bad rows that may be skipped.
int64_t count_examples(const ModelOptions& model, const RowTask& task, const data::Dataset& rows);

/// Batches of all rows in their order, prepared ahead, without bad rows that may be skipped.
data::Dataset evaluation_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                                 int64_t size, RowTask::Labels labels);

/// RowTask::length_batches() without bad rows that may be skipped.
std::optional<data::Dataset> length_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                                            RowTask::Labels labels);

/// The batches whose lengths are counted before those of evaluation_batches() are chosen: length_batches(), or else
/// evaluation_batches().
data::Dataset counted_batches(const ModelOptions& model, const RowTask& task, const data::Dataset& rows, int64_t size,
                              RowTask::Labels labels);

}  // namespace portatune::run
