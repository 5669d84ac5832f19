// portune evaluate: the metrics of a model on labelled rows.
#include "portune/cli/commands.h"
#include "portune/cli/exit_code.h"
#include "portune/cli/make_task.h"
#include "portune/cli/report.h"
#include "portune/cli/rows.h"

namespace portune::cli {

int evaluate(const EvaluateArguments& a) {
  constexpr auto kLabels = RowTask::Labels::kRequired;
  const std::unique_ptr<RowTask> task = make_task(a.model, a.model.folder);
  const data::Dataset rows = read_rows(a.data, *task, kLabels);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) say(a.talk, line);
  const Device device(a.device);
  Trainer trainer(device, *task, {.dtype = a.dtype});
  const Scores scores = trainer.evaluate(evaluation_batches(*task, rows, a.batch_size, kLabels));
  for (const std::string& line : remarks(trainer.load_report())) say(a.talk, line);
  print_result(a.talk.json ? json_of(scores) : table_of(scores));
  return kOk;
}

}  // namespace portune::cli
