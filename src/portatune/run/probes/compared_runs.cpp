#include "portatune/run/probes/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

using Settings = std::array<RunSetting, 2>;

DType tolerance_of(const ComparisonOptions& options, const Settings& settings) {
  if (options.tolerance) return *options.tolerance;
  const bool coarse = std::ranges::any_of(settings, [](const RunSetting& s) { return s.dtype != DType::kFloat32; });
  return coarse ? DType::kBFloat16 : DType::kFloat32;
}

// Both runs divide the same rows into the same number of parts, over their devices and into micro-batches, because each
// part draws random numbers of its own.
void divide_steps(RunOptions& a, const Mesh& other) {
  const int64_t rows = rows_of_step(a), parts = std::lcm(parts_of_step(a), other.size(kBatchAxes));
  if (rows % parts != 0) {
    throw UsageError({.where = "against",
                      .given = fmt::format("{}, and steps of {} rows", to_string(other), rows),
                      .expected = fmt::format("a number of rows that {} devices can share equally", parts),
                      .fix = "change --batch-size"});
  }
  a.batch_size = rows / parts;
  a.training.gradient_accumulation_steps = parts / a.device.mesh.size(kBatchAxes);
}

TrainingOptions options_on(const RunSetting& setting, const RunPlan& a) {
  TrainingOptions options = a.training;
  options.dtype = setting.dtype;
  options.gradient_accumulation_steps = parts_of_step(a) / setting.device.mesh.size(kBatchAxes);
  return options;
}

void report_settings(const Settings& settings, int64_t steps, const RunPlan& a, Events& events) {
  events.notice(fmt::format("{} steps of {} rows: {}; against {}", grouped(steps), rows_of_step(a),
                            describe(settings[0]), describe(settings[1])));
  if (describe(settings[0]) == describe(settings[1])) {
    events.notice("both runs have the same setting: this shows only whether a run is reproducible");
  }
}

}  // namespace

ComparedRuns compare_runs(const ComparisonOptions& options, Events& events, Callback* callback) {
  RunOptions of_run = options.run;
  const RunSetting base{of_run.device, of_run.training.dtype};
  const Settings settings = {base, changed(base, options.against)};
  divide_steps(of_run, settings[1].device.mesh);
  check_new_run(of_run);
  train::check(of_run.training);
  const RunPlan a = plan_run(std::move(of_run), {}, events);
  const std::shared_ptr<RowTask>& task = a.task;
  const data::Dataset rows = split_of(a, *task, events).train;
  const int64_t examples = count_examples(a.model, *task, rows);
  const data::Dataset batches = training_batches(*task, rows, a, examples);
  const FitOptions epochs = epochs_of(a, examples, batches);
  if (examples == 0) throw train::no_example("training data");
  const int64_t steps_of_run = train::total_steps(epochs);
  const int64_t steps = std::min(options.steps, steps_of_run);
  report_settings(settings, steps, a, events);

  const Device device(with_warnings(settings[0].device, events));
  std::optional<Device> other;
  if (!share_device(settings[0], settings[1])) other.emplace(with_warnings(settings[1].device, events));
  return {settings, parity::compare_runs(*task, {device, options_on(settings[0], a)},
                                         {other ? *other : device, options_on(settings[1], a)}, batches.prefetch(2),
                                         {.steps = steps,
                                          .every = options.every,
                                          .total_steps = steps_of_run,
                                          .tolerance = tolerance_of(options, settings),
                                          .callback = callback})};
}

}  // namespace portatune::run
