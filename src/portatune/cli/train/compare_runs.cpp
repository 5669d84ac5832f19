// portatune parity --against: compares a training run on two settings side by side and writes no files.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "portatune/base/number.h"
#include "portatune/cli/options/commands.h"
#include "portatune/cli/options/run_setting.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/run_report.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/error.h"
#include "portatune/graph.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/evaluation.h"
#include "portatune/train/options.h"

namespace portatune::cli {
namespace {

class ComparisonProgress final : public Callback {
 public:
  explicit ComparisonProgress(const Talk& talk) : quiet_(talk.quiet), bar_(stderr_terminal(talk.disable_progress)) {}

  void on_compile(const std::string& what, double seconds, bool from_cache) override {
    if (!quiet_ && !from_cache) bar_.print(fmt::format("compiled {} in {:.1f} s", what, seconds));
  }
  void on_step(const StepResult& result, int64_t total_steps) override {
    if (quiet_) return;
    bar_.update({.step = result.step(),
                 .total = total_steps,
                 .loss = result.loss(),
                 .learning_rate = result.learning_rate(),
                 .tokens = result.tokens()});
  }
  void close() { bar_.close(); }

 private:
  const bool quiet_;
  ProgressBar bar_;
};

void require_a_run(const ParityArguments& a) {
  const auto refuse = [](std::string given, const char* expected) {
    throw UsageError(
        {.where = "parity", .given = std::move(given), .expected = expected, .fix = "see portatune parity --help"});
  };
  if (a.against.empty()) {
    refuse(
        "neither --case nor --against",
        "--case DIR, to compare a model with transformers, or --against SETTING with the options of fit, to compare a "
        "training run with itself on another setting");
  }
  if (!a.dump.empty()) refuse("--dump with --against", "--dump with --case");
  if (a.fit.model.folder.empty()) refuse("no --model", "the model folder to train");
  if (a.fit.train.empty()) refuse("no --train", "rows to train on");
}

DType tolerance_of(const ParityArguments& a, const std::array<RunSetting, 2>& settings) {
  if (a.tolerance) return *a.tolerance;
  const bool coarse = std::ranges::any_of(settings, [](const RunSetting& s) { return s.dtype != DType::kFloat32; });
  return coarse ? DType::kBFloat16 : DType::kFloat32;
}

// Both runs divide the same rows into the same number of parts, over their devices and into micro-batches, because each
// part draws random numbers of its own.
void divide_steps(run::RunOptions& a, const Mesh& other) {
  const int64_t rows = run::rows_of_step(a), parts = std::lcm(run::parts_of_step(a), other.size(kBatchAxes));
  if (rows % parts != 0) {
    throw UsageError({.where = "against",
                      .given = fmt::format("{}, and steps of {} rows", to_string(other), rows),
                      .expected = fmt::format("a number of rows that {} devices can share equally", parts),
                      .fix = "change --batch-size"});
  }
  a.batch_size = rows / parts;
  a.training.gradient_accumulation_steps = parts / a.device.mesh.size(kBatchAxes);
}

TrainingOptions options_on(const RunSetting& setting, const run::RunPlan& a) {
  TrainingOptions options = a.training;
  options.dtype = setting.dtype;
  options.gradient_accumulation_steps = run::parts_of_step(a) / setting.device.mesh.size(kBatchAxes);
  return options;
}

}  // namespace

int compare_runs(const ParityArguments& arguments) {
  require_a_run(arguments);
  catch_signals();
  run::RunOptions options = arguments.fit;
  const Talk& talk = arguments.fit.talk;
  TerminalEvents events(talk);
  const RunSetting base{options.device, options.training.dtype};
  const std::array<RunSetting, 2> settings = {base, changed(base, arguments.against)};
  divide_steps(options, settings[1].device.mesh);
  run::check_new_run(options);
  train::check(options.training);
  const run::RunPlan a = run::plan_run(std::move(options), {}, events);
  const std::shared_ptr<RowTask>& task = a.task;
  const data::Dataset rows = run::split_of(a, *task, events).train;
  const int64_t examples = run::count_examples(a.model, *task, rows);
  const data::Dataset batches = run::training_batches(*task, rows, a, examples);
  const FitOptions epochs = run::epochs_of(a, examples, batches);
  if (examples == 0) throw train::no_example("training data");
  const int64_t steps_of_run = epochs.num_train_epochs * epochs.steps_per_epoch;

  const int64_t steps = std::min(arguments.steps, steps_of_run);
  events.notice(fmt::format("{} steps of {} rows: {}; against {}", grouped(steps), run::rows_of_step(a),
                            describe(settings[0]), describe(settings[1])));
  if (describe(settings[0]) == describe(settings[1])) {
    events.notice("both runs have the same setting: this shows only whether a run is reproducible");
  }

  const Device device(run::with_warnings(settings[0].device, events));
  std::optional<Device> other;
  if (!share_device(settings[0], settings[1])) other.emplace(run::with_warnings(settings[1].device, events));
  ComparisonProgress progress(talk);
  const parity::RunComparison comparison =
      parity::compare_runs(*task, {device, options_on(settings[0], a)},
                           {other ? *other : device, options_on(settings[1], a)}, batches.prefetch(2),
                           {.steps = steps,
                            .every = arguments.every,
                            .total_steps = steps_of_run,
                            .tolerance = tolerance_of(arguments, settings),
                            .callback = &progress});
  progress.close();
  print_result(talk.json ? json_of(settings, comparison) : table_of(settings, comparison));
  return comparison.passed() ? kOk : kFailed;
}

}  // namespace portatune::cli
