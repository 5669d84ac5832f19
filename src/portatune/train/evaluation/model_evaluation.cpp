#include "portatune/train/evaluation/model_evaluation.h"

#include <utility>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/schedule.h"

namespace portatune::train {
namespace {

using ShouldStop = std::function<bool()>;

// The scores of the weights on all sets; nothing if a stop request has ended that.
std::optional<Scores> scores_of_sets(TrainingState& state, const std::vector<EvaluationSet>& sets,
                                     const ShouldStop& should_stop) {
  Scores scores;
  for (const EvaluationSet& set : sets) {
    const auto of_set = evaluate(state, set, should_stop);
    if (!of_set) return std::nullopt;
    for (auto& score : with_name(set.name, *of_set)) scores.push_back(std::move(score));
  }
  return scores;
}

// The scores of the averages of the weights on all sets, which no observer sees.
std::optional<Scores> scores_of_averages(TrainingState& state, std::vector<EvaluationSet> sets,
                                         const ShouldStop& should_stop) {
  for (EvaluationSet& set : sets) set.observer = nullptr;
  return state.with_averages([&] { return scores_of_sets(state, sets, should_stop); });
}

}  // namespace

std::optional<bool> evaluate_model(TrainingState& state, const FitOptions& options, int64_t planned_steps,
                                   const ShouldStop& should_stop) {
  std::optional<Scores> scores = scores_of_sets(state, options.validation, should_stop);
  if (!scores) return std::nullopt;
  if (state.has_averages()) {
    const std::optional<Scores> of_averages = scores_of_averages(state, options.validation, should_stop);
    if (!of_averages) return std::nullopt;
    for (auto& score : with_name(kAverages, *of_averages)) scores->push_back(std::move(score));
  }
  Evaluations& evaluations = state.evaluations();
  const bool is_first = evaluations.step == 0;
  const ScoreNames known = is_first ? known_scores(options, state.task(), state.has_averages()) : ScoreNames();
  if (state.options().lr_scheduler_type == kReduceOnPlateau) {
    add_to_plateau(evaluations.plateau, *scores, is_first, options, state.options().schedule, known);
  }
  const bool is_best = add_evaluation(evaluations, state.steps(), std::move(*scores), options, known);
  if (planned_steps == 0) evaluations.stopped_early = false;  // no step is left to spare
  evaluations.planned_steps = evaluations.stopped_early ? planned_steps : 0;
  return is_best;
}

std::filesystem::path best_checkpoint(TrainingState& state, const std::filesystem::path& folder) {
  const std::filesystem::path here = checkpoint_path(folder, state.evaluations().best_step);
  const std::filesystem::path& start = state.resumed_from();
  for (const std::filesystem::path& path :
       {here, start.empty() ? here : folder_of_checkpoint(start) / here.filename()}) {
    if (!in_any(state.processes(), !fault_in_checkpoint(path).empty())) return path;
  }
  return {};
}

}  // namespace portatune::train
