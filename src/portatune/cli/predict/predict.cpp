// portatune predict: writes a line for each row, in the order of the rows.
#include <fmt/format.h>

#include <deque>

#include "portatune/base/text/number.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/hang.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/result_file.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/error.h"
#include "portatune/process_group.h"
#include "portatune/run/predictions/prediction_file.h"

namespace portatune::cli {
namespace {

// The file of one of several adapters: predictions-NAME.jsonl.
std::filesystem::path file_of(const std::string& adapter, std::filesystem::path output) {
  if (output == "-") {
    throw UsageError({.where = "--adapter",
                      .given = "several adapters without --output",
                      .expected = "--output FILE.jsonl: each adapter writes FILE-NAME.jsonl"});
  }
  return output.replace_filename(output.stem().string() + "-" + adapter + output.extension().string());
}

}  // namespace

int execute(const PredictArguments& given, Processes& processes) {
  PredictArguments a = processes.arguments_of(given);
  a.stop = stop_at_signal();
  TerminalEvents events(a.reporting);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a.hang_timeout_s, a.device, processes);
  report_settings(a.model, a.adapters, a.settings, a.reporting);
  std::deque<ResultFile> files;  // of all adapters
  const auto open = [&](const RowTask& task, const data::Dataset& rows) {
    catch_signals();  // before a file exists, so that no incomplete file is left
    return run::prediction_file(a.output, a.model, task, rows,
                                [&]() -> run::TextOutput& { return files.emplace_back(a.output, a.data); });
  };
  // The other processes open no file.
  if (!is_first(a.device.processes.get())) catch_signals();
  for (const run::UsedModel& model : run::used_models(a.model.folder, a.adapters)) {
    a.model.folder = model.folder;
    if (a.adapters.size() > 1) a.output = file_of(model.name, given.output);
    const run::Prediction prediction = run::predict(a, open, events);
    print_remark(a.reporting,
                 fmt::format("predicted {} examples in {:.1f} s, {:.1f} per second", grouped(prediction.examples),
                             prediction.seconds, prediction.examples_per_second()));
  }
  ResultFile::finish_together(files);
  return kOk;
}

}  // namespace portatune::cli
