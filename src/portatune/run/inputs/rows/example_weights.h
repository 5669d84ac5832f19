// The weights of training rows.
#pragma once

#include <string>

#include "portatune/data.h"
#include "portatune/run/run_plan.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// The column that weight_column names. If it is not given, "example_weight" if the task uses weights and the training
/// files have this column; else empty.
std::string weight_column_of(const RunOptions& a);

/// The training rows with their labels. If plan.weights names a column, each row has its value as the float32
/// scalar data::kExampleWeight.
/// errors  those of read_rows(); DataError that names a row whose weight is not a finite number of at least 0
data::Dataset training_rows(const RunPlan& plan, const RowTask& task);

/// The same rows with weight 1, as scores count them.
data::Dataset without_weights(const data::Dataset& rows);

}  // namespace portatune::run
