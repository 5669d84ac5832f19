#include "portatune/train/evaluation/best_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/metrics/direction.h"
#include "portatune/tasks/metrics/all_metrics.h"
#include "portatune/train/evaluation/evaluation.h"

namespace portatune::train {
namespace {

constexpr const char* kLoss = "loss";

bool depends_on_best(const FitOptions& options) {
  const BestModelOptions& best = options.best_model;
  return !best.metric.empty() || best.load_at_end || best.early_stopping_patience > 0 ||
         options.checkpoints.strategy == SaveStrategy::kBest;
}

bool is_better(double value, double than, bool greater) { return greater ? value > than : value < than; }

std::optional<double> value_of(const Scores& scores, const std::string& name) {
  const auto found = std::ranges::find(scores, name, [](const auto& score) { return score.first; });
  if (found == scores.end()) return std::nullopt;
  return found->second;
}

void require_score(const std::string& score, const Scores& scores, ScoreNames names) {
  for (const auto& [name, value] : scores) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (std::ranges::find(names, score) != names.end()) return;
  throw UsageError({.where = "metric_for_best_model",
                    .given = score,
                    .expected = "one of " + list_of(names),
                    .fix = suggestion(nearest(score, names))});
}

}  // namespace

std::string deciding_score(const BestModelOptions& rule, const std::string& first_set) {
  if (rule.metric.empty()) return with_name(first_set, {{kLoss, 0}}).front().first;
  constexpr std::string_view kPrefix = "eval_";
  return rule.metric.starts_with(kPrefix) ? rule.metric.substr(kPrefix.size()) : rule.metric;
}

bool is_greater_better(const BestModelOptions& rule, const std::string& score) {
  return rule.greater_is_better.value_or(!metrics::is_lower_better(score));
}

std::string deciding_score(const FitOptions& options) {
  if (options.validation.empty() || !depends_on_best(options)) return {};
  return deciding_score(options.best_model, options.validation.front().name);
}

ScoreNames known_scores(const FitOptions& options, const Task& task, bool has_averages) {
  Scores of_task{{kLoss, 0}}, all;
  for (const std::string& name : tasks::known_scores(task)) of_task.emplace_back(name, 0);
  for (const EvaluationSet& set : options.validation) {
    std::ranges::copy(with_name(set.name, of_task), std::back_inserter(all));
  }
  if (has_averages) std::ranges::copy(with_name(kAverages, Scores(all)), std::back_inserter(all));
  ScoreNames names;
  for (const auto& [name, none] : all) names.push_back(name);
  return names;
}

void require_deciding_score(const FitOptions& options, const Scores& scores, const ScoreNames& known) {
  const std::string score = deciding_score(options);
  if (!score.empty()) require_score(score, scores, known);
}

bool add_evaluation(Evaluations& evaluations, int64_t step, Scores scores, const FitOptions& options,
                    const ScoreNames& known) {
  const std::string score = deciding_score(options);
  bool is_best = false;
  if (!score.empty()) {
    const BestModelOptions& rule = options.best_model;
    const bool greater = is_greater_better(rule, score);
    const double worst = (greater ? -1 : 1) * std::numeric_limits<double>::infinity();
    if (evaluations.step == 0) require_score(score, scores, known);
    const double best = evaluations.best_step > 0 ? value_of(evaluations.best_scores, score).value_or(worst) : worst;
    const double value = value_of(scores, score).value_or(worst);
    is_best = is_better(value, best, greater);
    const bool is_first = evaluations.step == 0;
    // A smaller improvement makes a best model, too, but does not postpone the end.
    const bool improves = is_first || (is_best && std::abs(value - best) > rule.early_stopping_threshold);
    evaluations.without_improvement = improves ? 0 : evaluations.without_improvement + 1;
    evaluations.stopped_early =
        rule.early_stopping_patience > 0 && evaluations.without_improvement >= rule.early_stopping_patience;
  }
  evaluations.step = step;
  evaluations.scores = std::move(scores);
  if (is_best) {
    evaluations.best_step = step;
    evaluations.best_scores = evaluations.scores;
  }
  return is_best;
}

void add_to_plateau(Plateau& plateau, const Scores& scores, bool is_first, const FitOptions& options,
                    const ScheduleOptions& schedule, const ScoreNames& known) {
  const BestModelOptions& rule = options.best_model;
  const std::string score = deciding_score(rule, options.validation.front().name);
  if (is_first) require_score(score, scores, known);
  plateau.add(value_of(scores, score), schedule, is_greater_better(rule, score));
}

}  // namespace portatune::train
