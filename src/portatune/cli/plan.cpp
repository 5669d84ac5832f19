// portatune plan: compiles a training run for devices that need not be there, and says whether it fits and how fast it
// would be. Writes nothing but what --save asks for.
#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/one_line.h"
#include "portatune/base/stop.h"
#include "portatune/cli/batch_shapes.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/fit.h"
#include "portatune/cli/make_task.h"
#include "portatune/cli/packing.h"
#include "portatune/cli/plan_report.h"
#include "portatune/cli/processes.h"
#include "portatune/cli/report.h"
#include "portatune/cli/rows.h"
#include "portatune/cli/signals.h"
#include "portatune/error.h"
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

// A program may take minutes to compile. Without --save nothing is lost by a signal, which ends the process as ever.
constexpr const char* kStopping =
    "\nportatune: ends when this program is compiled; a second signal ends it now, and the next --save removes what is "
    "left\n";

void check_options(const FitArguments& a) {
  check_new_run(a);
  if (!a.device.programs_folder.empty()) {
    throw UsageError({.where = "compiled", .given = a.device.programs_folder.string(), .expected = "--save with plan"});
  }
  if (a.device.device == "cpu") return;
  throw UsageError({.where = "device", .given = a.device.device, .expected = "none: --on names the devices of a plan"});
}

// Not shuffled: the first batch tells the shapes, and no more rows are read for it than it has.
std::vector<plan::BatchShape> shapes_of(const FitArguments& a, const RowTask& task, const data::Dataset& rows) {
  const std::optional<data::Example> first = training_batches(task, rows, a, 1).iterate().next();
  if (!first) throw train::no_example("training data");
  const train::BatchShapes all(task, *first);
  std::vector<plan::BatchShape> shapes;
  for (const train::Signature& batch : all.all()) shapes.push_back({batch, 0});
  return shapes;
}

// Of as many rows; all arrays of such a batch have them along their first axis.
train::Signature with_rows(train::Signature batch, int64_t rows) {
  for (auto& [name, type] : batch) type.shape[0] = rows;
  return batch;
}

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

// Batches of one shape can be counted without being made.
void count_steps(std::vector<plan::BatchShape>& shapes, const FitArguments& a, const RowTask& task,
                 const data::Dataset& rows, int64_t examples) {
  const bool has_size = !a.packed || a.packed->packing == data::Packing::kExactExamples;
  if (shapes.size() == 1 && has_size) {
    shapes.front().steps = steps_for(a, examples);
    return;
  }
  const data::Dataset batches = interruptible(training_batches(task, rows, a, examples));
  for (const data::Example& batch : batches.iterate()) {
    const train::Signature signature = train::signature_of(task, batch);
    const auto shape = std::ranges::find(shapes, signature, &plan::BatchShape::batch);
    if (shape != shapes.end()) ++shape->steps;
  }
}

int64_t steps_per_epoch(const FitArguments& a, const std::vector<plan::BatchShape>& shapes) {
  if (a.steps_per_epoch > 0) return a.steps_per_epoch;
  int64_t steps = 0;
  for (const plan::BatchShape& shape : shapes) steps += shape.steps;
  return steps;
}

// Whether it is known if the run fits.
bool is_planned(const PlannedTarget& target) {
  return target.unavailable.empty() && (target.outcome.refusal.empty() || target.outcome.is_too_large);
}

// Why nothing is saved, or nothing.
std::string save(ProgramWriter& programs, const plan::Compiler& compiler, const PlannedTarget& planned,
                 const PlanArguments& arguments) {
  if (!planned.outcome.refusal.empty()) return planned.outcome.refusal;
  if (!planned.outcome.fits) return "the run does not fit";
  programs.commit(compiler.origin(), planned.target.name);
  say(arguments.fit.talk,
      fmt::format("saved {} programs; start with them by  --compiled {}", programs.count(), arguments.save.string()));
  return {};
}

PlannedTarget planned(const plan::Target& target, const plan::Run& run, const PlanArguments& arguments) {
  PlannedTarget planned;
  planned.target = target;
  std::unique_ptr<plan::Compiler> compiler;
  try {
    compiler = plan::open_compiler(target, arguments.fit.device);
  } catch (const DeviceError& error) {
    const std::string& fix = error.report().fix;
    planned.unavailable = one_line(error.report()) + (fix.empty() ? "" : "; " + fix);
    planned.not_saved = planned.unavailable;
    return planned;
  }
  planned.memory_bytes = compiler->memory_bytes();
  planned.peaks = compiler->peaks();
  std::optional<ProgramWriter> programs;
  if (!arguments.save.empty()) programs.emplace(arguments.save);
  planned.outcome = plan::plan_target(*compiler, run, target.devices, programs ? &*programs : nullptr);
  if (programs) planned.not_saved = save(*programs, *compiler, planned, arguments);
  const bool is_measured = planned.outcome.fits || planned.outcome.is_too_large;
  if (arguments.largest_batch && is_measured)
    planned.largest_batch = plan::largest_batch_of(*compiler, run, planned.outcome);
  return planned;
}

}  // namespace

int plan(const PlanArguments& arguments) {
  if (!arguments.save.empty()) {
    require_one_process("save");
    say_at_first_signal(kStopping);
    catch_signals();
  }
  const std::vector<plan::Target> targets = targets_of(arguments.on, arguments.fit.device.mesh);
  if (!arguments.save.empty() && targets.size() > 1) {
    throw UsageError({.where = "save",
                      .given = fmt::format("{} targets", targets.size()),
                      .expected = "one, as a folder is for one kind of device"});
  }
  FitArguments a = arguments.fit;
  check_options(a);
  train::check(a.training);
  const std::unique_ptr<RowTask> task = make_task(a.model, model_of(a), a.train, Classes::kOfRows);
  choose_shapes(a, *task);
  const Split split = split_of(a, *task);
  const data::Dataset& rows = split.train;
  const int64_t examples = count_examples(a.model, *task, rows);

  const auto shapes_with = [&](int64_t batch_size, const Mesh& mesh) {
    FitArguments other = a;
    other.batch_size = batch_size;
    other.device.mesh = mesh;
    check_one_run(other);
    other.talk.quiet = true;
    other.packed = chosen_packing(other, *task);
    return shapes_of(other, *task, rows);
  };
  const std::vector<train::Signature> evaluations = evaluations_of(*task, split.validation);
  const auto evaluations_with = [&](int64_t batch_size, const Mesh& mesh) {
    FitArguments other = a;
    other.batch_size = batch_size;
    other.device.mesh = mesh;
    std::vector<train::Signature> batches = evaluations;
    for (train::Signature& batch : batches) batch = with_rows(std::move(batch), eval_batch_size(other));
    return batches;
  };
  plan::Run run{.task = *task,
                .step = train::step_options(a.training, a.device.mesh),
                .batch_size = a.batch_size,
                .shapes = shapes_of(a, *task, rows),
                .shapes_with = shapes_with,
                .evaluations_with = evaluations_with};
  count_steps(run.shapes, a, *task, rows, examples);

  PlannedRun result{.batch_size = a.batch_size,
                    .dtype = a.training.dtype,
                    .remat = a.training.remat,
                    .mesh = a.device.mesh,
                    .examples = examples,
                    .steps_per_epoch = steps_per_epoch(a, run.shapes)};
  for (const plan::Target& target : targets) {
    stop_if_requested();
    say(a.talk, fmt::format("compiling for {}", target.name));
    result.targets.push_back(planned(target, run, arguments));
  }
  print_result(a.talk.json ? json_of(result) : table_of(result));
  const std::string& not_saved = result.targets.front().not_saved;
  const bool saves_nothing = !arguments.save.empty() && !not_saved.empty();
  if (saves_nothing) {
    tell(fmt::format("portatune: nothing is saved in {}: {}\n", arguments.save.string(), not_saved));
  }
  if (std::ranges::none_of(result.targets, is_planned)) return kUnavailable;
  return saves_nothing ? kFailed : kOk;
}

}  // namespace portatune::cli
