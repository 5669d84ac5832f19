// What tasks do with the rows that they are made from.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks/task_spec.h"

namespace portatune::tasks {

/// The same dataset; a stop request ends a pass over it with Stopped.
data::Dataset interruptible(const data::Dataset& dataset);

/// A row with a text of one letter in each column that the task reads.
data::Example sample_row(const RowTask& task);
/// Sets a column of a row, if the row has it.
void set_if_read(data::Example& row, const std::string& column, const std::string& value);

}  // namespace portatune::tasks
