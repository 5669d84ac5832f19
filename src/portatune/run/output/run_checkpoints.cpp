#include "portatune/run/output/run_checkpoints.h"

#include <algorithm>

#include "portatune/process_group.h"
#include "portatune/run/launch/in_turn.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/optimizers.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// Without a strategy only a stopped run has checkpoints. A fold keeps none, as it is not trained further.
int64_t kept_at_end(const RunOptions& a) {
  return save_strategy_of(a) != SaveStrategy::kNo && a.folds == 0 ? a.keep_checkpoints : 0;
}

// The least number of steps between two checkpoints.
int64_t save_interval(const FitOptions& options) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  const int64_t evaluation = options.eval_steps > 0 ? options.eval_steps : options.steps_per_epoch;
  if (checkpoints.strategy == SaveStrategy::kBest) return evaluation;
  const int64_t regular = checkpoints.strategy == SaveStrategy::kSteps ? checkpoints.every : options.steps_per_epoch;
  return options.best_model.load_at_end ? std::min(regular, evaluation) : regular;
}

}  // namespace

CheckpointOptions checkpoints_of(const RunOptions& a, int64_t total_steps) {
  return {.folder = a.output,
          .strategy = save_strategy_of(a),
          .every = save_steps_of(a).of(total_steps),
          .keep = std::max<int64_t>(1, a.keep_checkpoints),
          .last = kept_at_end(a) > 0};
}

void check_checkpoints(const RunOptions& a) {
  FitOptions options;
  constexpr int64_t kAnyNumber = 1;  // of steps, which is not known yet
  options.checkpoints = checkpoints_of(a, kAnyNumber);
  train::check(options, a.training);
}

SavesOfRun saves_of(const RunPlan& plan, int64_t steps_made, const FitOptions& options) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  const bool may_keep_best = checkpoints.strategy == SaveStrategy::kBest || options.best_model.load_at_end;
  SavesOfRun saves{
      // An adapter is so small that its size does not matter.
      .weights_bytes = plan.training.lora ? 0 : bytes_of_weights(model_of(plan)),
      .slots_bytes = plan.training.lora
                         ? 0
                         : bytes_of_slots(model_of(plan), *train::optimizer_of(plan.training), plan.training.freeze),
      .kept = std::max<int64_t>(checkpoints.keep, may_keep_best ? 2 : 1) + (plan.checkpoint.empty() ? 0 : 1),
      .present = std::ssize(train::checkpoints_in(plan.output))};
  if (plan.training.ema > 0) saves.average_bytes = saves.weights_bytes;
  const int64_t total_steps = train::total_steps(options);
  if (train::saves_checkpoints(options) && total_steps > steps_made) {
    const int64_t interval = save_interval(options);
    const int64_t before_last = (total_steps - 1) / interval - steps_made / interval;
    saves.checkpoints = before_last + (checkpoints.last ? 1 : 0);
  }
  return saves;
}

void remove_replaced_run(const RunPlan& plan) {
  if (!plan.overwrite_output || plan.folds > 0) return;
  in_turn(plan.device.processes.get(), [&] {
    if (!is_first(plan.device.processes.get()) || lies_in(plan.checkpoint, plan.output)) return;
    remove_earlier_run(plan.output);
  });
}

void remove_surplus_checkpoints(const RunOptions& a, int64_t best_step, bool has_requested, Events& events) {
  if (!is_first(a.device.processes.get())) return;
  const int64_t kept = has_requested ? a.keep_checkpoints : kept_at_end(a);
  const std::string fault = train::remove_old_checkpoints(a.output, kept, best_step, {});
  if (!fault.empty()) events.warning(fault);
}

}  // namespace portatune::run
