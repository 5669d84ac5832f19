// portatune plan: compiles a training run for devices that need not be there, and says whether it fits and how fast it
// would be. Writes nothing except the files of --save.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/stop.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/cli/train/plan_report.h"
#include "portatune/error.h"
#include "portatune/run/probes/plan_json.h"

namespace portatune::cli {
namespace {

// A program may take minutes to compile. Without --save a signal loses nothing, and ends the process as usual.
constexpr const char* kStopping =
    "\nportatune: ends when this program is compiled; a second signal ends it now, and the next --save removes what is "
    "left\n";

std::vector<plan::Target> targets_of(const PlanArguments& a) {
  std::vector<plan::Target> targets = plan::targets_called(a.on, a.fit.device.mesh);
  if (a.save.empty() || targets.size() == 1) return targets;
  throw UsageError({.where = "save",
                    .given = fmt::format("{} targets", targets.size()),
                    .expected = "one, as a folder is for one kind of device"});
}

// Returns whether a thread still compiles for one of the targets.
bool is_compiling(const PlanReport& report) {
  return !std::ranges::all_of(report.targets, &std::string::empty, &plan::PlannedTarget::slow);
}

void plan_targets(const std::vector<plan::Target>& targets, const PlanArguments& a, PlanReport& report) {
  const plan::TimedPlanOptions options = {
      .device = a.fit.device, .save = a.save, .largest_batch = a.largest_batch, .time_limit_s = a.time_limit};
  const auto log = [reporting = a.fit.reporting](const std::string& line) { print_remark(reporting, line); };
  for (const plan::Target& target : targets) {
    stop_if_requested();
    report.targets.push_back(plan::plan_in_time(target, report.run.programs, options, log));
  }
}

// Prints the plan; returns the exit code.
int print_report(const PlanReport& report, const PlanArguments& a) {
  print_result(a.fit.reporting.json ? run::json_of(report.run, report.targets) : table_of(report));
  const std::string& not_saved = report.targets.front().not_saved;
  const bool saves_nothing = !a.save.empty() && !not_saved.empty();
  if (saves_nothing) {
    print_message(fmt::format("portatune: nothing is saved in {}: {}\n", a.save.string(), not_saved));
  }
  if (std::ranges::none_of(report.targets, &plan::PlannedTarget::is_decided)) return kUnavailable;
  return saves_nothing ? kFailed : kOk;
}

}  // namespace

int execute(const PlanArguments& a, Processes& processes) {
  if (!a.save.empty()) {
    processes.require_one("save");
    say_at_first_signal(kStopping);
    catch_signals();
  }
  const std::vector<plan::Target> targets = targets_of(a);
  TerminalEvents events(a.fit.reporting);
  const run::PlannedRun run = run::planned_run(a.fit, events);
  PlanReport report{.run = run};
  int exit_code = kOk;
  try {
    plan_targets(targets, a, report);
    exit_code = print_report(report, a);
  } catch (const Error& error) {
    if (!is_compiling(report)) throw;
    print_message(fmt::format("portatune: {}\n", error.what()));
    exit_code = exit_code_of(error);
  } catch (const std::exception& error) {
    if (!is_compiling(report)) throw;
    print_message(fmt::format("portatune: {}\n", printable(error.what())));
    exit_code = kFailed;
  }
  if (is_compiling(report)) std::_Exit(exit_code);  // a compiler cannot be stopped
  return exit_code;
}

}  // namespace portatune::cli
