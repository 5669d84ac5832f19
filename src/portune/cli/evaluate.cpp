// portune evaluate: the metrics of a model on labelled rows.
#include "portune/cli/bad_rows.h"
#include "portune/cli/commands.h"
#include "portune/cli/exit_code.h"
#include "portune/cli/make_task.h"
#include "portune/cli/report.h"
#include "portune/cli/signals.h"
#include "portune/cli/validation.h"

namespace portune::cli {

int evaluate(const EvaluateArguments& a) {
  catch_signals();
  const std::vector<std::string> files = named_files(a.data).front().files;
  const std::unique_ptr<RowTask> task = make_task(a.model, a.model.folder, files, Classes::kOfModel);
  std::vector<ValidationSet> sets = validation_sets(a.model, a.data, *task, a.batch_size);
  std::vector<data::Dataset> batches;
  for (const ValidationSet& set : sets) batches.push_back(set.batches);
  const std::vector<int64_t> lengths =
      choose_lengths(*task, a.model.padding, a.model.options.max_length, batches, {}, a.talk);
  if (!lengths.empty()) {
    task->set_lengths(lengths);
    sets = validation_sets(a.model, a.data, *task, a.batch_size);
  }
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) say(a.talk, line);
  const Device device(with_warnings(a.device, a.talk));
  Trainer trainer(device, *task, {.dtype = a.dtype});
  const Scores scores = evaluate_all(trainer, sets);
  for (const std::string& line : remarks(trainer.load_report())) say(a.talk, line);
  const std::optional<int64_t> skipped = skipped_rows(a.model.bad_rows);
  print_result(a.talk.json ? json_of(scores, skipped) : table_of(scores, skipped));
  return kOk;
}

}  // namespace portune::cli
