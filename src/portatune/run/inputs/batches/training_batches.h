// The batches and steps of training and validation.
#pragma once

#include <cstdint>

#include "portatune/data.h"
#include "portatune/run/run_plan.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// Number of micro-batches of a step, over all devices.
int64_t parts_of_step(const RunOptions& a);
/// Number of rows of a step.
int64_t rows_of_step(const RunOptions& a);
/// Number of steps of a pass over this number of examples, if each is a row.
int64_t steps_for(const RunOptions& a, int64_t examples);

/// Number of rows of a validation batch, over all devices.
int64_t eval_batch_size(const RunOptions& a);

/// Batches of all rows in random order.
/// examples  number of examples as far as it is known; the order is fully random up to this number
data::Dataset training_batches(const RowTask& task, const data::Dataset& rows, const RunPlan& plan, int64_t examples);

/// Reports that rows are shuffled within a buffer, if they are.
/// examples  number of examples of `rows`, the training rows
void report_shuffling(const RunPlan& plan, const data::Dataset& rows, int64_t examples, Events& events);

/// The epochs and steps of the run.
/// examples  number of examples of the training rows
/// batches   batches of the training rows; they are counted where their number is unknown
FitOptions epochs_of(const RunPlan& plan, int64_t examples, const data::Dataset& batches);

}  // namespace portatune::run
