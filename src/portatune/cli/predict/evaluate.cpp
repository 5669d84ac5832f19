// portatune evaluate: computes the metrics of a model on labelled rows.
#include "portatune/cli/commands.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/hang.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/process_group.h"

namespace portatune::cli {

int execute(const EvaluateArguments& given, Processes& processes) {
  EvaluateArguments a = processes.arguments_of(given);
  a.stop = stop_at_signal();
  TerminalEvents events(a.reporting);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a.hang_timeout_s, a.device, processes);
  catch_signals();
  report_settings(a.model, a.adapters, a.settings, a.reporting);
  const std::vector<run::NamedEvaluation> evaluations = run::evaluate(a, a.adapters, events);
  if (!is_first(a.device.processes.get())) return kOk;
  print_result(a.reporting.json ? json_of(evaluations) : table_of(evaluations));
  return kOk;
}

}  // namespace portatune::cli
