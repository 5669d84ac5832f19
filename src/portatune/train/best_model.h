// The choice of the best model, and early stopping, by the rules of transformers.
#pragma once

#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint.h"

namespace portatune::train {

/// The name of the score in `rule`, without "eval_". Without one it is the loss of the first set.
/// first_set  name of this set; may be empty
std::string deciding_score(const BestModelOptions& rule, const std::string& first_set);
/// Whether a higher value of this score is better.
bool is_greater_better(const BestModelOptions& rule, const std::string& score);

/// The name of the score that decides about the best model, without "eval_"; empty if none does.
std::string deciding_score(const FitOptions& options);

/// Requires the score that decides about the best model, if one does, in scores from before the first step, or in those
/// that averages of the weights will have.
/// has_averages  whether the run keeps averages
/// errors        UsageError with the names of all scores if it is not among them
void require_deciding_score(const FitOptions& options, const Scores& scores, bool has_averages);

/// Adds an evaluation to those of a run.
/// returns  whether its model is the best so far; false if no score decides
/// errors   those of require_deciding_score() in the first evaluation; later ones may leave the score undefined
bool add_evaluation(Evaluations& evaluations, int64_t step, Scores scores, const FitOptions& options);

/// Adds an evaluation to the state of reduce_lr_on_plateau, by the score that would decide about the best model.
/// errors  UsageError with the names of all scores if the first evaluation lacks it
void add_to_plateau(Plateau& plateau, const Scores& scores, bool is_first, const FitOptions& options,
                    const ScheduleOptions& schedule);

}  // namespace portatune::train
