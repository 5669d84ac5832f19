// Weights of training rows: --weight-column.
#pragma once

#include <string>

#include "portatune/data.h"
#include "portatune/tasks.h"

namespace portatune::cli {

struct FitArguments;

/// The column of --weight-column. Without the option it is "example_weight", if the task uses weights and the training
/// files have this column; else empty.
std::string weight_column_of(const FitArguments& a);

/// The rows of --train with their labels. If a.weight_column names a column, each row has its value as the float32
/// scalar data::kExampleWeight.
/// errors  those of read_rows(); DataError that names a row whose weight is not a finite number of at least 0
data::Dataset training_rows(const FitArguments& a, const RowTask& task);

/// The same rows, all of weight 1, as scores count them.
data::Dataset without_weights(const data::Dataset& rows);

}  // namespace portatune::cli
