// portatune evaluate: computes the metrics of a model on labelled rows.
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/model_settings.h"
#include "portatune/cli/report.h"
#include "portatune/cli/signals.h"
#include "portatune/cli/terminal_events.h"

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
