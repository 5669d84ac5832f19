// portatune evaluate: computes the metrics of a model on labelled rows.
#include <chrono>

#include "portatune/cli/bad_rows.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/model_settings.h"
#include "portatune/cli/report.h"
#include "portatune/cli/signals.h"
#include "portatune/cli/terminal_events.h"
#include "portatune/run/inputs/make_task.h"
#include "portatune/run/inputs/model_length.h"
#include "portatune/run/inputs/padding.h"
#include "portatune/run/inputs/rows.h"
#include "portatune/run/inputs/validation.h"

namespace portatune::cli {

int evaluate(const EvaluateArguments& given) {
  EvaluateArguments a = given;
  TerminalEvents events(a.talk);
  catch_signals();
  say_settings(a.model, a.settings, a.talk);
  run::lower_max_length(a.model, a.model.folder, events);
  const std::vector<std::string> files = run::named_files(a.data).front().files;
  const std::unique_ptr<RowTask> task = run::make_task(a.model, a.model.folder, files, run::Classes::kOfModel);
  std::vector<run::ValidationSet> sets = run::validation_sets(a.model, a.data, *task, a.batch_size);
  std::vector<data::Dataset> batches;
  for (const run::ValidationSet& set : sets) batches.push_back(set.batches);
  const std::vector<int64_t> lengths =
      run::choose_lengths(*task, a.model.padding, a.model.options.max_length, batches, {}, events);
  if (!lengths.empty()) {
    task->set_lengths(lengths);
    sets = run::validation_sets(a.model, a.data, *task, a.batch_size);
  }
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
  const Device device(run::with_warnings(a.device, events));
  Trainer trainer(device, *task, {.dtype = a.dtype, .new_weights = NewWeights::kNone});
  const std::unique_ptr<run::RowProgress> progress = events.progress("evaluating");
  const auto start = std::chrono::steady_clock::now();
  const Scores scores = run::evaluate_all(trainer, sets, *progress);
  const Speed speed{.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                    .examples = progress->rows()};
  for (const std::string& line : remarks(trainer.load_report())) events.notice(line);
  const std::optional<int64_t> skipped = run::skipped_rows(a.model.bad_rows);
  print_result(a.talk.json ? json_of(scores, speed, skipped) : table_of(scores, speed, skipped));
  return kOk;
}

}  // namespace portatune::cli
