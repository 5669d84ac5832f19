#include "portatune/run/inputs/batches/training_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/text/number.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/rows/rows.h"

namespace portatune::run {
namespace {

// Number of steps of the first epoch. With a token budget other epochs may have one more or less, as other texts share
// a row.
int64_t steps_of_pass(const RunPlan& plan, int64_t examples, const data::Dataset& batches) {
  if (!plan.packed || plan.packed->packing != data::Packing::kTokenBudget) return steps_for(plan, examples);
  return count(batches);
}

// Remote rows are read in order, because fetching each by itself is slow. If bad rows may be skipped, the index of a
// row is known only after the rows before it are read.
bool may_permute(const RunPlan& plan) {
  return !plan.model.bad_rows && std::ranges::none_of(plan.train, io::is_remote);
}

}  // namespace

int64_t steps_for(const RunOptions& a, int64_t examples) { return (examples + rows_of_step(a) - 1) / rows_of_step(a); }

int64_t parts_of_step(const RunOptions& a) {
  return a.training.gradient_accumulation_steps * a.device.mesh.size(kBatchAxes);
}

int64_t rows_of_step(const RunOptions& a) { return a.batch_size * parts_of_step(a); }

int64_t eval_batch_size(const RunOptions& a) {
  return rows_on(a.device.mesh, a.eval_batch_size > 0 ? a.eval_batch_size : a.batch_size);
}

data::Dataset training_batches(const RowTask& task, const data::Dataset& rows, const RunPlan& plan, int64_t examples) {
  const data::ShuffleOptions order{.buffer = std::clamp<int64_t>(examples, 1, plan.shuffle_buffer),
                                   .seed = plan.training.seed,
                                   .prefer_permutation = may_permute(plan)};
  const data::Dataset batches = plan.packed ? task.packed_batches(rows, *plan.packed, order)
                                            : task.training_batches(rows, rows_of_step(plan), order);
  return tolerant(plan.model, batches);
}

FitOptions epochs_of(const RunPlan& plan, int64_t examples, const data::Dataset& batches) {
  const int64_t steps = plan.steps_per_epoch > 0 ? plan.steps_per_epoch : steps_of_pass(plan, examples, batches);
  if (plan.max_steps == 0 || steps == 0) return {.num_train_epochs = plan.epochs, .steps_per_epoch = steps};
  return {
      .num_train_epochs = (plan.max_steps + steps - 1) / steps, .steps_per_epoch = steps, .max_steps = plan.max_steps};
}

// Sorted rows would be learnt class after class.
void report_shuffling(const RunPlan& plan, const data::Dataset& rows, int64_t examples, Events& events) {
  if (examples <= plan.shuffle_buffer || (may_permute(plan) && rows.has_random_access())) return;
  events.notice(
      fmt::format("each row is drawn from {} that follow each other (--shuffle-buffer): sorted rows should be "
                  "mixed before",
                  grouped(plan.shuffle_buffer)));
}

}  // namespace portatune::run
