// portatune sweep: trains with several settings and seeds, and keeps the best model.
#include "portatune/cli/commands.h"
#include "portatune/cli/options/runs/sweep_trials.h"
#include "portatune/cli/process/command_events.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/hang.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/train/sweep_report.h"
#include "portatune/run.h"

namespace portatune::cli {

int execute(const SweepArguments& given, Processes& processes) {
  SweepArguments a = given;
  a.fit.stop = stop_at_signal();
  const run::SweepOptions options = sweep_options(a);
  CommandEvents events(a.fit, Trains::kSeveralRuns);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a.fit, events, processes);
  catch_signals();
  const std::optional<run::SweepOutcome> outcome = run::sweep(options, events);
  if (!outcome) return kInterrupted;
  print_result(a.fit.reporting.json ? json_of(*outcome) : table_of(*outcome));
  return outcome->best.empty() ? kFailed : kOk;
}

}  // namespace portatune::cli
