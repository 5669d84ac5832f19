#include "portatune/run/probes/planned_run.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/run/inputs/batches/packing.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/options.h"
#include "portatune/train/program/batch_shapes.h"

namespace portatune::run {
namespace {

void check_options_of_plan(const RunOptions& a) {
  check_new_run(a);
  if (!a.device.programs_folder.empty()) {
    throw UsageError({.where = "compiled", .given = a.device.programs_folder.string(), .expected = "--save with plan"});
  }
  if (a.device.device != "cpu") {
    throw UsageError(
        {.where = "device", .given = a.device.device, .expected = "none: --on names the devices of a plan"});
  }
  train::check(a.training);
}

// Without rows, all batches have one shape.
void require_one_shape(const ModelOptions& model) {
  constexpr std::array kOfRows = {"--padding", "--packing", "--tokens-per-batch", "--validation", "--validation-split"};
  for (const GivenOption& option : model.given) {
    const bool is_max_length = option.name == "--padding" && model.padding->kind == Padding::Kind::kMaxLength;
    if (is_max_length || std::ranges::find(kOfRows, option.name) == kOfRows.end()) continue;
    throw UsageError({.where = option.place,
                      .given = option.name + " without --train",
                      .expected = "rows to train on, or none of the options that depend on rows",
                      .fix = "add --train FILE, or leave " + option.name + " out"});
  }
}

// The signature of a batch with this number of rows, the first axis of all its arrays.
train::Signature with_rows(train::Signature batch, int64_t rows) {
  for (auto& [name, type] : batch) type.shape[0] = rows;
  return batch;
}

// The same run with batches of one row per device, whose other axes are those of the run's batches.
RunPlan with_small_batches(RunPlan a) {
  a.batch_size = 1;
  a.eval_batch_size = 0;
  return a;
}

// The shapes of the first batch. The rows are not shuffled, so that no more rows are read than the batch has. A batch
// of the run may be too large for this machine, so a batch of a few rows is made.
std::vector<plan::BatchShape> shapes_of(const RunPlan& a, const data::Dataset& rows) {
  const data::Dataset batches = training_batches(*a.task, rows, a.packed ? a : with_small_batches(a), 1);
  const std::optional<data::Example> first = batches.iterate().next();
  if (!first) throw train::no_example("training data");
  const train::BatchShapes all(*a.task, *first);
  std::vector<plan::BatchShape> shapes;
  for (const train::Signature& batch : all.all()) {
    shapes.push_back({a.packed ? batch : with_rows(batch, rows_of_step(a)), 0});
  }
  return shapes;
}

// The shapes of the evaluations' batches, with a few rows.
std::vector<train::Signature> evaluations_of(const RowTask& task, const std::vector<ValidationSet>& sets) {
  std::vector<train::Signature> evaluations;
  for (const ValidationSet& set : sets) {
    const std::optional<data::Example> first = set.batches.iterate().next();
    if (!first) continue;
    const train::BatchShapes shapes(task, *first);
    for (const train::Signature& batch : shapes.all()) {
      if (std::ranges::find(evaluations, batch) == evaluations.end()) evaluations.push_back(batch);
    }
  }
  return evaluations;
}

// A run and its rows. The functions of a plan::Run share it.
struct RunOfPlan {
  RunPlan plan;
  data::Dataset rows;
  std::vector<train::Signature> evaluations;

  RunPlan with(int64_t batch_size, const Mesh& mesh) const {
    RunPlan other = plan;
    other.batch_size = batch_size;
    other.device.mesh = mesh;
    return other;
  }

  std::vector<plan::BatchShape> shapes_with(int64_t batch_size, const Mesh& mesh) const {
    RunPlan other = with(batch_size, mesh);
    check_one_run(other);
    check_parts(other, *plan.task);
    Events unobserved;
    other.packed = chosen_packing(other, *plan.task, unobserved);
    return shapes_of(other, rows);
  }

  std::vector<train::Signature> evaluations_with(int64_t batch_size, const Mesh& mesh) const {
    std::vector<train::Signature> batches = evaluations;
    for (train::Signature& batch : batches)
      batch = with_rows(std::move(batch), eval_batch_size(with(batch_size, mesh)));
    return batches;
  }
};

std::shared_ptr<const RunOfPlan> run_of_plan(const RunOptions& options, Events& events) {
  if (options.train.empty()) {
    RunPlan plan = plan_without_rows(options, events);
    data::Dataset rows = sample_rows(plan.model, *plan.task);
    return std::make_shared<const RunOfPlan>(RunOfPlan{std::move(plan), std::move(rows), {}});
  }
  RunPlan plan = plan_run(options, {}, events);
  Split split = split_of(with_small_batches(plan), *plan.task, events);
  std::vector<train::Signature> evaluations = evaluations_of(*plan.task, split.validation);
  return std::make_shared<const RunOfPlan>(RunOfPlan{std::move(plan), std::move(split.train), std::move(evaluations)});
}

// Batches of one shape are counted without making them.
void count_steps(std::vector<plan::BatchShape>& shapes, const RunOfPlan& run, int64_t examples) {
  const RunPlan& a = run.plan;
  const bool has_size = !a.packed || a.packed->packing == data::Packing::kExactExamples;
  if (shapes.size() == 1 && has_size) {
    shapes.front().steps = steps_for(a, examples);
    return;
  }
  const data::Dataset batches = interruptible(training_batches(*a.task, run.rows, a, examples));
  for (const data::Example& batch : batches.iterate()) {
    const train::Signature signature = train::signature_of(*a.task, batch);
    const auto shape = std::ranges::find(shapes, signature, &plan::BatchShape::batch);
    if (shape != shapes.end()) ++shape->steps;
  }
}

// Number of steps of an epoch; nothing without rows, unless --steps-per-epoch is given.
std::optional<int64_t> steps_per_epoch(const RunPlan& a, const std::vector<plan::BatchShape>& shapes) {
  if (a.steps_per_epoch > 0) return a.steps_per_epoch;
  if (a.train.empty()) return std::nullopt;
  int64_t steps = 0;
  for (const plan::BatchShape& shape : shapes) steps += shape.steps;
  return steps;
}

}  // namespace

PlannedRun planned_run(const RunOptions& options, Events& events) {
  check_options_of_plan(options);
  const bool has_rows = !options.train.empty();
  if (!has_rows) require_one_shape(options.model);
  const std::shared_ptr<const RunOfPlan> run = run_of_plan(options, events);
  const RunPlan& a = run->plan;
  plan::Run programs{
      .task = *a.task,
      .step = train::step_options(a.training, a.device.mesh),
      .batch_size = a.batch_size,
      .shapes = shapes_of(a, run->rows),
      .shapes_with = [run](int64_t batch_size, const Mesh& mesh) { return run->shapes_with(batch_size, mesh); },
      .evaluations_with = [run](int64_t batch_size,
                                const Mesh& mesh) { return run->evaluations_with(batch_size, mesh); }};
  PlannedRun planned{.programs = nullptr,
                     .batch_size = a.batch_size,
                     .dtype = a.training.dtype,
                     .remat = a.training.remat,
                     .mesh = a.device.mesh,
                     .examples = std::nullopt,
                     .steps_per_epoch = std::nullopt};
  if (has_rows) {
    planned.examples = count_examples(a.model, *a.task, run->rows);
    count_steps(programs.shapes, *run, *planned.examples);
  } else {
    programs.shapes.front().steps = 1;
    events.notice("no --train: the plan is for batches of one shape: " +
                  train::describe(programs.shapes.front().batch));
  }
  planned.steps_per_epoch = steps_per_epoch(a, programs.shapes);
  planned.programs = std::make_shared<const plan::Run>(std::move(programs));
  return planned;
}

}  // namespace portatune::run
