// portatune predict: writes a line for each row, in the order of the rows.
#include "portatune/cli/options/commands.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/predict/prediction_file.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/signals.h"
#include "portatune/cli/terminal/terminal_events.h"

namespace portatune::cli {

int predict(const PredictArguments& given) {
  PredictArguments a = given;
  a.stop = stop_at_signal();
  TerminalEvents events(a.talk);
  say_settings(a.model, a.settings, a.talk);
  const auto open = [&a](const RowTask& task, const data::Dataset& rows) {
    catch_signals();  // before a file exists, so that no incomplete file is left
    return prediction_file(a, task, rows);
  };
  run::predict(a, open, events);
  return kOk;
}

}  // namespace portatune::cli
