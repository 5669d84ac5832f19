// The loops of Trainer::evaluate and Trainer::predict.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "portatune/error.h"
#include "portatune/train/state.h"

namespace portatune::train {

inline constexpr const char* kEvaluation = "evaluation";

/// Passes every batch with its outputs to `take`, in order, until `take` returns false. The host prepares and starts
/// batch n + 1 before it waits for batch n.
/// where   the name of the work in errors
/// errors  NumericError naming the rows, for a non-finite loss or output
void evaluate_each(TrainingState& state, const data::Dataset& batches,
                   const std::function<bool(const Evaluated&)>& take, const char* where = kEvaluation);

/// Task::outputs_of_all_passes() of a batch of evaluate_each().
/// errors  NumericError as evaluate_each()
std::optional<data::Example> outputs_of_all_passes(TrainingState& state, const Evaluated& evaluated,
                                                   const char* where = kEvaluation);

/// Returns "loss", the task's metrics and the added ones over all batches of the set; nothing if `should_stop`, called
/// for every batch, ended the evaluation early.
/// errors  those of evaluate_each; DataError if there is no example
std::optional<Scores> evaluate(TrainingState& state, const EvaluationSet& set,
                               const std::function<bool()>& should_stop);

/// Name before the scores of averaged weights (TrainingOptions::ema): "ema_loss".
inline constexpr const char* kAverages = "ema";

/// Scores with the name of their set: "matched_accuracy", as transformers names those of a dict of datasets.
Scores with_name(const std::string& set, Scores scores);

DataError no_example(const std::string& where);

}  // namespace portatune::train
