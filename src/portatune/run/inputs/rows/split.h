// The training rows and the validation rows of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/run_plan.h"
#include "portatune/tasks.h"

namespace portatune::run {

struct Split {
  data::Dataset train;
  std::vector<ValidationSet> validation;
};

/// The rows of `train` and `validation`, or the training rows divided by `validation_split`.
Split split_of(const RunPlan& plan, const RowTask& task, Events& events);

/// The class of each row, as the files have it; nothing for tasks without one class per row.
std::optional<std::vector<std::string>> classes_of(const RowTask& task, const data::Dataset& rows);

/// errors  UsageError for --validation-split together with --validation or --folds
void check_validation_split(const RunOptions& a);

/// Whether a row of `rows` is held out: a random share of them; of rows with one class each, the same share of each
/// class if there are enough.
std::vector<bool> held_out_rows(const RunOptions& a, const RowTask& task, const data::Dataset& rows, Events& events);

}  // namespace portatune::run
