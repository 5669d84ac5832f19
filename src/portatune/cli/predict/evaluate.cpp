// portatune evaluate: computes the metrics of a model on labelled rows.
#include "portatune/cli/options/commands.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {

int evaluate(const EvaluateArguments& given) {
  EvaluateArguments a = given;
  a.stop = stop_at_signal();
  TerminalEvents events(a.talk);
  catch_signals();
  say_settings(a.model, a.settings, a.talk);
  const run::Evaluation evaluation = run::evaluate(a, events);
  print_result(a.talk.json ? json_of(evaluation) : table_of(evaluation));
  return kOk;
}

}  // namespace portatune::cli
