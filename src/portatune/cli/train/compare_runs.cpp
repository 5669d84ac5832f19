// portatune parity --against: compares a training run on two settings side by side and writes no files.
#include <fmt/format.h>

#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/run_report.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/error.h"
#include "portatune/run/probes/probe_json.h"

namespace portatune::cli {
namespace {

class ComparisonProgress final : public Callback {
 public:
  explicit ComparisonProgress(const Reporting& reporting)
      : quiet_(reporting.quiet), bar_(stderr_terminal(reporting.disable_progress)) {}

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

}  // namespace

int compare_runs(const ParityArguments& a) {
  require_a_run(a);
  catch_signals();
  const Reporting& reporting = a.fit.reporting;
  TerminalEvents events(reporting);
  ComparisonProgress progress(reporting);
  const run::ComparedRuns runs = run::compare_runs(
      {.run = a.fit, .against = a.against, .steps = a.steps, .every = a.every, .tolerance = a.tolerance}, events,
      &progress);
  progress.close();
  print_result(reporting.json ? run::json_of(runs) : table_of(runs));
  return runs.comparison.passed() ? kOk : kFailed;
}

}  // namespace portatune::cli
