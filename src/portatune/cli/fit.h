// One training run: what `fit` does once, and a cross-validation for each fold.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/cli/report.h"
#include "portatune/cli/validation.h"
#include "portatune/run/events.h"

namespace portatune::cli {

/// Rows to train on, and batches to measure on, if there are any.
struct Split {
  data::Dataset train;
  std::vector<ValidationSet> validation;
};

/// errors  UsageError for options that only a cross-validation has, for such as do not go together, and those of
///         check_validation_split()
void check_one_run(const FitArguments& a);

/// For commands that look into a run, and neither go on with one nor leave one behind.
/// errors  UsageError for --folds and --resume, and those of check_one_run()
void check_new_run(const FitArguments& a);

/// Into how many the rows of a training batch are divided: micro-batches on each device.
int64_t parts_of_step(const FitArguments& a);
/// Rows of a training batch: those of all its parts.
int64_t rows_of_step(const FitArguments& a);
/// Steps of a pass over so many examples, if each is a row.
int64_t steps_for(const FitArguments& a, int64_t examples);

/// Rows at a time in validation, on all devices together.
int64_t eval_batch_size(const FitArguments& a);

/// The rows of --train and --validation, or what --validation-split makes of the former.
Split split_of(const FitArguments& a, const RowTask& task, run::Events& events);

/// Batches of all rows in random order.
/// examples  that there are, as far as is known: of so many the order is fully random
data::Dataset training_batches(const RowTask& task, const data::Dataset& rows, const FitArguments& a, int64_t examples);

/// How long the run is.
/// examples  of the training set
/// batches   of it, which are counted where that alone tells how many there are
FitOptions epochs_of(const FitArguments& a, int64_t examples, const data::Dataset& batches);

/// With what else a resumption must have in common with the run.
/// examples  of the training set
TrainingOptions training_options(const FitArguments& a, const RowTask& task, int64_t examples);

/// Where the run starts: as it was asked for, or from the newest checkpoint of an earlier one.
FitArguments resumed(FitArguments a, run::Events& events);

/// The folder that the task is made from: a checkpoint is a whole model, so training goes on from there instead.
const std::filesystem::path& model_of(const FitArguments& a);

/// Trains, and saves to a.output. Nothing if the run was stopped on request; events.stopped() has been called then.
std::optional<Outcome> train(const FitArguments& a, const RowTask& task, const Split& rows, run::Events& events);

}  // namespace portatune::cli
