// The classes of a task, found in rows or in its model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// The distinct classes in a column of the rows, in the order of labels_of().
/// errors  DataError that names a row without a class
std::vector<std::string> classes_of_rows(const TaskContext& context, const data::Dataset& rows,
                                         const std::string& column);

/// errors  DataError if all rows are of one class
void require_several_classes(const std::vector<std::string>& classes, const TaskContext& context,
                             const std::string& column);

/// errors  DataError for numbers with fractions, as 0.5, which may be meant as numbers
void require_no_fractions(const std::vector<std::string>& classes, const TaskContext& context,
                          const std::string& column);

/// The classes in the order of their ids: see in_stored_order().
std::vector<std::string> in_order_of_model(const std::vector<std::string>& classes, const TaskContext& context);

/// The classes of a task that reads none from rows: the given ones, else none, which stands for those of the model. For
/// Classes::kAssumed and a model without classes two are assumed and reported.
/// task    its name, for errors
/// head    the head that the user has chosen
/// errors  CheckpointError for a model without classes, which was never trained for the task
std::vector<std::string> classes_without_rows(const TaskContext& context, const std::string& task,
                                              std::vector<std::string> given, std::optional<Head> head = {});

}  // namespace portatune::tasks
