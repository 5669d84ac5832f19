// Weights of classes in the loss.
#pragma once

#include "portatune/data.h"
#include "portatune/loss_options.h"
#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// The loss options of a run, with the weights that ModelOptions names.
/// labels  the classes in the order of their ids
/// rows    the training rows, which "balanced" counts
/// errors  UsageError for weights that are neither numbers nor for exactly these classes; DataError for "balanced" with
///         a class that has no rows, or that all rows have
LossOptions loss_options(const ModelOptions& model, Head head, const RowLabels& labels, const data::Dataset& rows);

}  // namespace portatune::run
