// Weights of classes in the loss.
#pragma once

#include "portatune/data.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// The loss with the weights of classes that the user has asked for.
/// labels  the classes in the order of their ids
/// rows    the training rows, which "balanced" counts
/// errors  UsageError for weights that are neither numbers nor for exactly these classes; DataError for "balanced" with
///         a class that has no rows, or that all rows have
LossOptions with_class_weights(LossOptions loss, const ClassWeights& weights, Head head, const RowLabels& labels,
                               const TaskContext& context, const data::Dataset& rows);

}  // namespace portatune::tasks
