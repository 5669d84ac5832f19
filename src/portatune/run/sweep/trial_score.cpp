#include "portatune/run/sweep/trial_score.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "portatune/analysis/report/run_log.h"

namespace portatune::run {
namespace {

constexpr std::string_view kPrefix = "eval_";
constexpr const char* kSeconds = "eval_seconds";
constexpr const char* kEpoch = "epoch";

}  // namespace

double part_of_run(const RunOptions& options, int64_t step, double epoch) {
  return options.max_steps > 0 ? static_cast<double>(step) / static_cast<double>(options.max_steps)
                               : epoch / static_cast<double>(options.epochs);
}

std::vector<LoggedEvaluation> logged_evaluations(const std::filesystem::path& trial) {
  const std::filesystem::path file = trial / report::kLogFile;
  if (!std::filesystem::exists(file)) return {};
  std::map<int64_t, LoggedEvaluation> by_step;
  for (const auto& [name, curve] : report::read_log(file).evaluation) {
    if (name == kSeconds) continue;
    for (const report::Point& point : curve) {
      if (point.step == 0) continue;
      LoggedEvaluation& evaluation = by_step[point.step];
      evaluation.step = point.step;
      if (name == kEpoch) {
        evaluation.epoch = point.value;
      } else {
        evaluation.scores.emplace_back(name.substr(kPrefix.size()), point.value);
      }
    }
  }
  std::vector<LoggedEvaluation> all;
  for (auto& [step, evaluation] : by_step) all.push_back(std::move(evaluation));
  return all;
}

std::optional<double> value_of(const Scores& scores, const DecidingScore& score) {
  const auto found = std::ranges::find(scores, score.name, [](const auto& entry) { return entry.first; });
  if (found == scores.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

std::optional<LoggedEvaluation> deciding_evaluation(const std::vector<LoggedEvaluation>& all,
                                                    const DecidingScore& score) {
  if (all.empty()) return std::nullopt;
  if (!score.best_of_run) return all.back();
  const LoggedEvaluation* best = &all.front();
  for (const LoggedEvaluation& evaluation : all) {
    const std::optional<double> value = value_of(evaluation.scores, score), than = value_of(best->scores, score);
    if (value && (!than || (score.greater_is_better ? *value > *than : *value < *than))) best = &evaluation;
  }
  return *best;
}

}  // namespace portatune::run
