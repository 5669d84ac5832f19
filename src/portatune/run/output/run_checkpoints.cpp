#include "portatune/run/output/run_checkpoints.h"

#include <algorithm>

#include "portatune/process_group.h"
#include "portatune/run/launch/in_turn.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// Without checkpoint_every only a stopped run has one, and a fold is not trained further.
int64_t kept_at_end(const RunOptions& a) { return a.checkpoint_every > 0 && a.folds == 0 ? a.keep_checkpoints : 0; }

}  // namespace

CheckpointOptions checkpoints_of(const RunOptions& a) {
  return {.folder = a.output,
          .every = a.checkpoint_every,
          .keep = std::max<int64_t>(1, a.keep_checkpoints),
          .last = kept_at_end(a) > 0};
}

SavesOfRun saves_of(const RunPlan& plan, int64_t steps_made, int64_t total_steps) {
  const CheckpointOptions checkpoints = checkpoints_of(plan);
  SavesOfRun saves{.weights_bytes = bytes_of_weights(model_of(plan)),
                   .slots = std::ssize(train::optimizer_of(plan.training)->slots()),
                   .kept = checkpoints.keep + (plan.checkpoint.empty() ? 0 : 1),
                   .present = std::ssize(train::checkpoints_in(plan.output))};
  if (checkpoints.every > 0 && total_steps > steps_made) {
    const int64_t before_last = (total_steps - 1) / checkpoints.every - steps_made / checkpoints.every;
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

void remove_surplus_checkpoints(const RunOptions& a, Events& events) {
  if (!is_first(a.device.processes.get())) return;
  const std::string fault = train::remove_old_checkpoints(a.output, kept_at_end(a), {});
  if (!fault.empty()) events.warning(fault);
}

}  // namespace portatune::run
