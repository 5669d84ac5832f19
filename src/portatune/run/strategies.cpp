#include "portatune/run/strategies.h"

#include <string>
#include <utility>

#include "portatune/error.h"

namespace portatune::run {
namespace {

[[noreturn]] void refuse(const char* option, std::string given, std::string expected) {
  throw UsageError({.where = option, .given = std::move(given), .expected = std::move(expected)});
}

// Requires a number of steps exactly for the strategy kSteps.
void check_steps(const char* strategy, bool by_steps, const char* option, int64_t steps) {
  if (by_steps && steps == 0) refuse(strategy, "steps", std::string("a number of steps in ") + option);
  if (by_steps || steps == 0) return;
  refuse(option, std::to_string(steps) + ", with another " + strategy, std::string(strategy) + " steps with it");
}

// The first option that only evaluations during training give a meaning; null if there is none.
const char* option_of_best_model(const RunOptions& a) {
  if (a.best_model.load_at_end) return "load_best_model_at_end";
  if (a.best_model.early_stopping_patience > 0) return "early_stopping_patience";
  if (a.save_strategy == SaveStrategy::kBest) return "save_strategy";
  return a.best_model.metric.empty() ? nullptr : "metric_for_best_model";
}

}  // namespace

EvalStrategy eval_strategy_of(const RunOptions& a) {
  return a.eval_strategy.value_or(a.eval_steps > 0 ? EvalStrategy::kSteps : EvalStrategy::kEpoch);
}

SaveStrategy save_strategy_of(const RunOptions& a) {
  if (a.save_strategy) return *a.save_strategy;
  if (a.checkpoint_every > 0) return SaveStrategy::kSteps;
  if (!a.best_model.load_at_end) return SaveStrategy::kNo;
  return eval_strategy_of(a) == EvalStrategy::kSteps ? SaveStrategy::kSteps : SaveStrategy::kEpoch;
}

int64_t save_steps_of(const RunOptions& a) {
  if (save_strategy_of(a) != SaveStrategy::kSteps) return 0;
  return a.checkpoint_every > 0 ? a.checkpoint_every : a.eval_steps;
}

void check_strategies(const RunOptions& a) {
  check_steps("eval_strategy", eval_strategy_of(a) == EvalStrategy::kSteps, "eval_steps", a.eval_steps);
  check_steps("save_strategy", save_strategy_of(a) == SaveStrategy::kSteps, "checkpoint_every",
              save_strategy_of(a) == SaveStrategy::kSteps ? save_steps_of(a) : a.checkpoint_every);
  const char* const option = option_of_best_model(a);
  if (option == nullptr) return;
  const bool is_measured = !a.validation.empty() || a.validation_split > 0 || a.folds > 0;
  if (!is_measured) refuse(option, "no validation rows", "--validation or --validation-split with it");
  if (eval_strategy_of(a) == EvalStrategy::kNo) refuse(option, "--eval-strategy no", "--eval-strategy epoch or steps");
}

}  // namespace portatune::run
