#include "portatune/run/run_plan.h"

#include <fmt/format.h>

#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/run/inputs/batches/batch_shapes.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/example_weights.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/score_of_task.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// Without this check a folder without weights is an error only after all rows are read.
void require_weights(const RunPlan& plan) {
  if (!plan.training.from_config) plan.task->require_weights();
}

// The best model is the best by the score of the task, unless the user names another.
void choose_score(RunPlan& plan) {
  BestModelOptions& best = plan.best_model;
  const bool decides =
      best.load_at_end || best.early_stopping_patience > 0 || plan.save_strategy == SaveStrategy::kBest;
  if (decides && best.metric.empty()) best.metric = score_of_task(plan, *plan.task);
}

}  // namespace

RunPlan plan_run(RunOptions options, std::filesystem::path checkpoint, Events& events) {
  RunPlan plan(with_hub_files(std::move(options)));
  plan.checkpoint = std::move(checkpoint);
  lower_max_length(plan.model, model_of(plan), events);
  plan.training.lora = adapters_of(plan, model_of(plan));
  plan.inputs = watch_files(plan);
  plan.weights = weight_column_of(plan);
  plan.task = open_task(plan.model, model_of(plan), plan.train, Classes::kOfRows, events);
  require_weights(plan);
  check_parts(plan, *plan.task);
  plan.task->set_batch_share(batch_share(plan.device.mesh, plan.device.processes.get()));
  choose_shapes(plan, events);
  choose_score(plan);
  return plan;
}

RunPlan plan_like(const RunPlan& other, RunOptions options, std::filesystem::path checkpoint, Events& events) {
  RunPlan plan(std::move(options));
  plan.checkpoint = std::move(checkpoint);
  std::vector<GivenOption> given = std::move(plan.model.given);
  std::shared_ptr<hub::ValidCheckpoint> valid_checkpoint = std::move(plan.model.valid_checkpoint);
  plan.model = other.model;
  plan.model.given = std::move(given);
  plan.model.valid_checkpoint = std::move(valid_checkpoint);
  plan.train = other.train;
  plan.validation = other.validation;
  plan.training.lora = other.training.lora;
  plan.packing = other.packing;
  plan.packed = other.packed;
  plan.weights = other.weights;
  plan.inputs = other.inputs;
  plan.task = other.task;
  if (!plan.checkpoint.empty()) {
    plan.task = open_task(plan.model, plan.checkpoint, plan.train, Classes::kOfRows, events);
  }
  choose_score(plan);
  return plan;
}

RunPlan plan_without_rows(RunOptions options, Events& events) {
  RunPlan plan(std::move(options));
  require_sample_rows(plan.model);
  plan.model.padding.reset();
  plan.packing = PackingPolicy::kNone;
  lower_max_length(plan.model, model_of(plan), events);
  plan.training.lora = adapters_of(plan, model_of(plan));
  plan.task = open_task(plan.model, model_of(plan), {}, Classes::kAssumed, events);
  require_weights(plan);
  check_parts(plan, *plan.task);
  return plan;
}

const std::filesystem::path& model_of(const RunPlan& plan) {
  return plan.checkpoint.empty() ? plan.model.folder : plan.checkpoint;
}

void check_one_run(const RunOptions& a) {
  if (!a.group_column.empty() || !a.test.empty()) {
    throw UsageError({.where = a.test.empty() ? "group_column" : "test",
                      .given = "no --folds",
                      .expected = "--folds N, as it is for cross-validation alone"});
  }
  check_validation_split(a);
  check_strategies(a);
}

void check_parts(const RunOptions& a, const RowTask& task) {
  if (task.loss_is_of_rows() || parts_of_step(a) == 1) return;
  throw UsageError({.where = "batches of " + a.model.task,
                    .given = fmt::format("a batch in parts: --mesh {}, --gradient-accumulation-steps {}",
                                         to_string(a.device.mesh), a.training.gradient_accumulation_steps),
                    .expected = kWholeBatches});
}

void check_new_run(const RunOptions& a) {
  if (a.folds > 0) {
    train::refuse_option("folds", std::to_string(a.folds), "no cross-validation, as this is about one training run");
  }
  check_one_run(a);
  if (a.resume || !a.resume_from_checkpoint.empty()) {
    train::refuse_option(a.resume ? "resume" : "resume_from_checkpoint", "a resumed run", "the options of a new run");
  }
}

}  // namespace portatune::run
