#include "portatune/run/options/strategies.h"

#include "portatune/train/options.h"
#include "portatune/train/plateau.h"

namespace portatune::run {
namespace {

using train::refuse_option;

// The first given option that has no effect without evaluations during training; null if there is none.
const char* option_of_best_model(const RunOptions& a) {
  if (a.best_model.load_at_end) return "load_best_model_at_end";
  if (a.best_model.early_stopping_patience > 0) return "early_stopping_patience";
  if (a.best_model.early_stopping_threshold > 0) return "early_stopping_threshold";
  if (a.best_model.greater_is_better) return "greater_is_better";
  if (a.save_strategy == SaveStrategy::kBest) return "save_strategy";
  if (a.training.lr_scheduler_type == train::kReduceOnPlateau) return "lr_scheduler_type";
  return a.best_model.metric.empty() ? nullptr : "metric_for_best_model";
}

}  // namespace

EvalStrategy eval_strategy_of(const RunOptions& a) {
  return a.eval_strategy.value_or(a.eval_steps.is_set() ? EvalStrategy::kSteps : EvalStrategy::kEpoch);
}

SaveStrategy save_strategy_of(const RunOptions& a) {
  if (a.save_strategy) return *a.save_strategy;
  if (a.checkpoint_every.is_set()) return SaveStrategy::kSteps;
  if (!a.best_model.load_at_end) return SaveStrategy::kNo;
  return eval_strategy_of(a) == EvalStrategy::kSteps ? SaveStrategy::kSteps : SaveStrategy::kEpoch;
}

StepInterval save_steps_of(const RunOptions& a) {
  if (save_strategy_of(a) != SaveStrategy::kSteps) return 0;
  return a.checkpoint_every.is_set() ? a.checkpoint_every : a.eval_steps;
}

void check_strategies(const RunOptions& a) {
  const bool evaluates_by_steps = eval_strategy_of(a) == EvalStrategy::kSteps;
  if (evaluates_by_steps && !a.eval_steps.is_set()) refuse_option("eval_strategy", "steps", "--eval-steps with it");
  if (!evaluates_by_steps && a.eval_steps.is_set())
    refuse_option("eval_steps", "another strategy", "--eval-strategy steps with it");
  const bool saves_by_steps = save_strategy_of(a) == SaveStrategy::kSteps;
  if (saves_by_steps && !save_steps_of(a).is_set())
    refuse_option("save_strategy", "steps", "--checkpoint-every with it");
  if (!saves_by_steps && a.checkpoint_every.is_set()) {
    refuse_option("checkpoint_every", "another strategy", "--save-strategy steps with it");
  }
  const bool is_measured = !a.validation.empty() || a.validation_split > 0 || a.folds > 0;
  if (a.eval_steps.is_set() && !is_measured)
    refuse_option("eval_steps", "no validation rows", "--validation or --validation-split");
  const char* const option = option_of_best_model(a);
  if (option == nullptr) return;
  if (!is_measured) refuse_option(option, "no validation rows", "--validation or --validation-split with it");
  if (eval_strategy_of(a) == EvalStrategy::kNo)
    refuse_option(option, "--eval-strategy no", "--eval-strategy epoch or steps");
}

}  // namespace portatune::run
