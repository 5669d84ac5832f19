// The evaluation of a model while it is trained.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "portatune/train.h"
#include "portatune/train/state.h"

namespace portatune::train {

/// Evaluates the model and its averages on all validation sets, and adds the scores to the evaluations of the run.
/// planned_steps  number of steps of the run; 0: none is left
/// should_stop    whether a stop is requested; asked between batches
/// returns        whether the model is the best so far; nothing if a stop request has ended the evaluation
std::optional<bool> evaluate_model(TrainingState& state, const FitOptions& options, int64_t planned_steps,
                                   const std::function<bool()>& should_stop);

/// The checkpoint of the best evaluation in the folder of checkpoints, or in that of the run that this one resumes;
/// empty if none is valid. All processes of a group call it.
std::filesystem::path best_checkpoint(TrainingState& state, const std::filesystem::path& folder);

}  // namespace portatune::train
