#include "portatune/base/threads/clock.h"
#include "portatune/base/threads/stop.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/batches/evaluated_rows.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/remarks.h"

namespace portatune::run {

Evaluation evaluate(const EvaluateOptions& given, Events& events) {
  const StopScope scope(given.stop);
  EvaluateOptions options = given;
  options.data = with_hub_files(given.data);
  require_rows(options.data);
  require_labels(options.model, options.model.folder);
  const std::vector<NamedFiles> named = named_files(options.data);
  for (const NamedFiles& set : named) require_files_for_all(options.device, "data", set.files);
  const std::vector<std::string>& files = named.front().files;
  ModelOptions model = options.model;
  lower_max_length(model, model.folder, events);
  const std::unique_ptr<RowTask> task = open_task(model, model.folder, files, Classes::kOfModel, events);
  require_divisible_loss(*task, options.device.mesh);
  task->set_batch_share(batch_share(options.device.mesh, options.device.processes.get()));
  const std::vector<ValidationSet> sets = evaluation_sets(
      model, options.data, *task, rows_on(options.device.mesh, options.batch_size), events, options.max_eval_samples);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
  for (const std::string& line : remarks_on_task_params(model, model.folder)) events.notice(line);
  const Device device(with_warnings(options.device, events));
  Trainer trainer(device, *task, options_without_training(options.model.folder, options.dtype));
  const std::unique_ptr<RowProgress> progress = events.progress(kEvaluating);
  const Clock::time_point start = Clock::now();
  Scores scores = evaluate_all(trainer, sets, *progress);
  const double seconds = seconds_since(start);
  for (const std::string& line : remarks(trainer.load_report())) events.notice(line);
  return {.scores = std::move(scores),
          .examples = progress->rows(),
          .seconds = seconds,
          .skipped_rows = skipped_rows(model.bad_rows)};
}

}  // namespace portatune::run
