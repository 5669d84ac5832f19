// portatune plan: compiles a training run for devices that need not be there, and says whether it fits and how fast it
// would be. Writes nothing except the files of --save.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "portatune/base/stop.h"
#include "portatune/cli/options/commands.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/processes.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/cli/train/plan_report.h"
#include "portatune/cli/train/plan_target.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/packing.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/batch_shapes.h"
#include "portatune/train/evaluation.h"
#include "portatune/train/options.h"

namespace portatune::cli {
namespace {

std::vector<plan::Target> targets_of(const std::vector<std::string>& names, const Mesh& mesh) {
  if (names.empty())
    throw UsageError({.where = "on", .given = "no target", .expected = "cpu, tpu:v5e-8, cuda:l4, ..."});
  std::vector<plan::Target> targets;
  for (const std::string& name : names) {
    targets.push_back(plan::target_called(name));
    const plan::Target& target = targets.back();
    if (target.accelerator->platform == "cpu" || mesh.devices() <= target.devices) continue;
    throw UsageError({.where = "on",
                      .given = fmt::format("{}, and the mesh {}", name, to_string(mesh)),
                      .expected = fmt::format("at least {} devices", mesh.devices()),
                      .fix = "say how many there are: tpu:v5e-8, cuda:h100x8"});
  }
  return targets;
}

// A program may take minutes to compile. Without --save a signal loses nothing, and ends the process as usual.
constexpr const char* kStopping =
    "\nportatune: ends when this program is compiled; a second signal ends it now, and the next --save removes what is "
    "left\n";

void check_options(const FitArguments& a) {
  run::check_new_run(a);
  if (!a.device.programs_folder.empty()) {
    throw UsageError({.where = "compiled", .given = a.device.programs_folder.string(), .expected = "--save with plan"});
  }
  if (a.device.device == "cpu") return;
  throw UsageError({.where = "device", .given = a.device.device, .expected = "none: --on names the devices of a plan"});
}

// The signature of a batch with this number of rows, the first axis of all its arrays.
train::Signature with_rows(train::Signature batch, int64_t rows) {
  for (auto& [name, type] : batch) type.shape[0] = rows;
  return batch;
}

// The same run with batches of one row per device, whose other axes are those of the run's batches.
run::RunPlan with_small_batches(run::RunPlan a) {
  a.batch_size = 1;
  a.eval_batch_size = 0;
  return a;
}

// The shapes of the first batch. The rows are not shuffled, so that no more rows are read than the batch has. A batch
// of the run may be too large for this machine, so a batch of a few rows is made.
std::vector<plan::BatchShape> shapes_of(const run::RunPlan& a, const RowTask& task, const data::Dataset& rows) {
  const data::Dataset batches = run::training_batches(task, rows, a.packed ? a : with_small_batches(a), 1);
  const std::optional<data::Example> first = batches.iterate().next();
  if (!first) throw train::no_example("training data");
  const train::BatchShapes all(task, *first);
  std::vector<plan::BatchShape> shapes;
  for (const train::Signature& batch : all.all()) {
    shapes.push_back({a.packed ? batch : with_rows(batch, run::rows_of_step(a)), 0});
  }
  return shapes;
}

// Without rows, all batches have one shape.
void require_one_shape(const FitArguments& a) {
  constexpr std::array kOfRows = {"--padding", "--packing", "--tokens-per-batch", "--validation", "--validation-split"};
  for (const run::GivenOption& option : a.model.given) {
    const bool is_max_length = option.name == "--padding" && a.model.padding->kind == run::Padding::Kind::kMaxLength;
    if (is_max_length || std::ranges::find(kOfRows, option.name) == kOfRows.end()) continue;
    throw UsageError({.where = option.place,
                      .given = option.name + " without --train",
                      .expected = "rows to train on, or none of the options that depend on rows",
                      .fix = "add --train FILE, or leave " + option.name + " out"});
  }
}

std::vector<train::Signature> evaluations_of(const RowTask& task, const std::vector<run::ValidationSet>& sets) {
  std::vector<train::Signature> evaluations;
  for (const run::ValidationSet& set : sets) {
    const std::optional<data::Example> first = set.batches.iterate().next();
    if (!first) continue;
    const train::BatchShapes shapes(task, *first);
    for (const train::Signature& batch : shapes.all()) {
      if (std::ranges::find(evaluations, batch) == evaluations.end()) evaluations.push_back(batch);
    }
  }
  return evaluations;
}

// Batches of one shape are counted without making them.
void count_steps(std::vector<plan::BatchShape>& shapes, const run::RunPlan& a, const RowTask& task,
                 const data::Dataset& rows, int64_t examples) {
  const bool has_size = !a.packed || a.packed->packing == data::Packing::kExactExamples;
  if (shapes.size() == 1 && has_size) {
    shapes.front().steps = run::steps_for(a, examples);
    return;
  }
  const data::Dataset batches = run::interruptible(run::training_batches(task, rows, a, examples));
  for (const data::Example& batch : batches.iterate()) {
    const train::Signature signature = train::signature_of(task, batch);
    const auto shape = std::ranges::find(shapes, signature, &plan::BatchShape::batch);
    if (shape != shapes.end()) ++shape->steps;
  }
}

// Number of steps of an epoch; nothing without rows, unless --steps-per-epoch is given.
std::optional<int64_t> steps_per_epoch(const run::RunPlan& a, const std::vector<plan::BatchShape>& shapes) {
  if (a.steps_per_epoch > 0) return a.steps_per_epoch;
  if (a.train.empty()) return std::nullopt;
  int64_t steps = 0;
  for (const plan::BatchShape& shape : shapes) steps += shape.steps;
  return steps;
}

// Returns whether the plan decides if the run fits.
bool is_planned(const PlannedTarget& target) { return has_figures(target) || target.outcome.is_too_large; }

// Prints the plan; returns the exit code.
int report(const PlannedRun& run, const PlanArguments& arguments) {
  print_result(arguments.fit.talk.json ? json_of(run) : table_of(run));
  const std::string& not_saved = run.targets.front().not_saved;
  const bool saves_nothing = !arguments.save.empty() && !not_saved.empty();
  if (saves_nothing) {
    print_message(fmt::format("portatune: nothing is saved in {}: {}\n", arguments.save.string(), not_saved));
  }
  if (std::ranges::none_of(run.targets, is_planned)) return kUnavailable;
  return saves_nothing ? kFailed : kOk;
}

// Ends the process at once: a compiler cannot be stopped, and its thread still reads objects of plan().
[[noreturn]] void end_with(const PlannedRun& run, const PlanArguments& arguments) {
  int exit_code = kOk;
  try {
    exit_code = report(run, arguments);
  } catch (const Error& error) {
    print_message(fmt::format("portatune: {}\n", error.what()));
    exit_code = exit_code_of(error);
  }
  std::_Exit(exit_code);
}

}  // namespace

int plan(const PlanArguments& arguments, Processes& processes) {
  if (!arguments.save.empty()) {
    processes.require_one("save");
    say_at_first_signal(kStopping);
    catch_signals();
  }
  const std::vector<plan::Target> targets = targets_of(arguments.on, arguments.fit.device.mesh);
  if (!arguments.save.empty() && targets.size() > 1) {
    throw UsageError({.where = "save",
                      .given = fmt::format("{} targets", targets.size()),
                      .expected = "one, as a folder is for one kind of device"});
  }
  const bool has_rows = !arguments.fit.train.empty();
  TerminalEvents events(arguments.fit.talk);
  check_options(arguments.fit);
  train::check(arguments.fit.training);
  if (!has_rows) require_one_shape(arguments.fit);
  const run::RunPlan a =
      has_rows ? run::plan_run(arguments.fit, {}, events) : run::plan_without_rows(arguments.fit, events);
  const std::shared_ptr<RowTask>& task = a.task;
  const run::Split split =
      has_rows ? run::split_of(with_small_batches(a), *task, events) : run::Split{run::sample_rows(a.model, *task), {}};
  const data::Dataset& rows = split.train;

  const auto shapes_with = [&](int64_t batch_size, const Mesh& mesh) {
    run::RunPlan other = a;
    other.batch_size = batch_size;
    other.device.mesh = mesh;
    run::check_one_run(other);
    run::check_parts(other, *task);
    run::Events unobserved;
    other.packed = run::chosen_packing(other, *task, unobserved);
    return shapes_of(other, *task, rows);
  };
  const std::vector<train::Signature> evaluations = evaluations_of(*task, split.validation);
  const auto evaluations_with = [&](int64_t batch_size, const Mesh& mesh) {
    run::RunPlan other = a;
    other.batch_size = batch_size;
    other.device.mesh = mesh;
    std::vector<train::Signature> batches = evaluations;
    for (train::Signature& batch : batches) batch = with_rows(std::move(batch), run::eval_batch_size(other));
    return batches;
  };
  plan::Run run{.task = *task,
                .step = train::step_options(a.training, a.device.mesh),
                .batch_size = a.batch_size,
                .shapes = shapes_of(a, *task, rows),
                .shapes_with = shapes_with,
                .evaluations_with = evaluations_with};
  PlannedRun result{
      .batch_size = a.batch_size, .dtype = a.training.dtype, .remat = a.training.remat, .mesh = a.device.mesh};
  if (has_rows) {
    result.examples = run::count_examples(a.model, *task, rows);
    count_steps(run.shapes, a, *task, rows, *result.examples);
  } else {
    run.shapes.front().steps = 1;
    events.notice("no --train: the plan is for batches of one shape: " + train::describe(run.shapes.front().batch));
  }
  result.steps_per_epoch = steps_per_epoch(a, run.shapes);
  try {
    for (const plan::Target& target : targets) {
      stop_if_requested();
      result.targets.push_back(plan_in_time(target, run, arguments));
    }
  } catch (const Error& error) {
    if (std::ranges::all_of(result.targets, &std::string::empty, &PlannedTarget::slow)) throw;
    // A thread still compiles for a slow target and reads `run`, which must not be destroyed.
    print_message(fmt::format("portatune: {}\n", error.what()));
    std::_Exit(exit_code_of(error));
  }
  if (std::ranges::all_of(result.targets, &std::string::empty, &PlannedTarget::slow)) return report(result, arguments);
  end_with(result, arguments);
}

}  // namespace portatune::cli
