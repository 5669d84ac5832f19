#include "portatune/cli/run_checkpoints.h"

#include <algorithm>

#include "portatune/cli/fit.h"
#include "portatune/cli/output_folder.h"
#include "portatune/cli/processes.h"
#include "portatune/process_group.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::cli {
namespace {

// The checkpoint of a signal is not one that was asked for, and a fold is not trained further.
int64_t kept_at_end(const FitArguments& a) { return a.checkpoint_every > 0 && a.folds == 0 ? a.keep_checkpoints : 0; }

}  // namespace

CheckpointOptions checkpoints_of(const FitArguments& a) {
  return {.folder = a.output,
          .every = a.checkpoint_every,
          .keep = std::max<int64_t>(1, a.keep_checkpoints),
          .last = kept_at_end(a) > 0};
}

SavesOfRun saves_of(const FitArguments& a, int64_t steps_made, int64_t total_steps) {
  const CheckpointOptions checkpoints = checkpoints_of(a);
  SavesOfRun saves{.weights_bytes = bytes_of_weights(model_of(a)),
                   .kept = checkpoints.keep + (a.resume_from_checkpoint.empty() ? 0 : 1),
                   .present = std::ssize(train::checkpoints_in(a.output))};
  if (checkpoints.every > 0 && total_steps > steps_made) {
    const int64_t before_last = (total_steps - 1) / checkpoints.every - steps_made / checkpoints.every;
    saves.checkpoints = before_last + (checkpoints.last ? 1 : 0);
  }
  return saves;
}

void remove_replaced_run(const FitArguments& a) {
  if (!a.overwrite_output || a.folds > 0) return;
  in_turn(a.device.processes.get(), [&] {
    if (!is_first(a.device.processes.get()) || lies_in(a.resume_from_checkpoint, a.output)) return;
    remove_earlier_run(a.output);
  });
}

void remove_surplus_checkpoints(const FitArguments& a, run::Events& events) {
  if (!is_first(a.device.processes.get())) return;
  const std::string fault = train::remove_old_checkpoints(a.output, kept_at_end(a), {});
  if (!fault.empty()) events.warning(fault);
}

}  // namespace portatune::cli
