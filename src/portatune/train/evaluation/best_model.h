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

/// Names of scores, also of those that are undefined for some examples: the precision of a class that is never
/// predicted.
using ScoreNames = std::vector<std::string>;

/// The scores that an evaluation of all sets may have, as far as the task knows them.
/// has_averages  whether the run keeps averages of the weights, which have scores of their own
ScoreNames known_scores(const FitOptions& options, const Task& task, bool has_averages);

/// Requires the score that decides about the best model, if one does, among the scores from before the first step or
/// the known ones.
/// errors  UsageError with the names of all scores if it is not among them
void require_deciding_score(const FitOptions& options, const Scores& scores, const ScoreNames& known);

/// Adds an evaluation to those of a run.
/// returns  whether its model is the best so far; false if no score decides
/// errors   those of require_deciding_score() in the first evaluation; later ones may lack unknown scores, too
bool add_evaluation(Evaluations& evaluations, int64_t step, Scores scores, const FitOptions& options,
                    const ScoreNames& known = {});

/// Adds an evaluation to the state of reduce_lr_on_plateau, by the score that would decide about the best model.
/// errors  UsageError with the names of all scores if the first evaluation lacks it and it is not known
void add_to_plateau(Plateau& plateau, const Scores& scores, bool is_first, const FitOptions& options,
                    const ScheduleOptions& schedule, const ScoreNames& known = {});

}  // namespace portatune::train
