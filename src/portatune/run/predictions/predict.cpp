#include "portatune/base/text/message.h"
#include "portatune/base/threads/stop.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/batches/evaluated_rows.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/remarks.h"

namespace portatune::run {
namespace {

// The sink of a process other than the first.
class NoPredictions final : public PredictionSink {
 public:
  void add(const data::Example&, const data::Example&) override {}
  void finish() override {}
};

}  // namespace

Prediction predict(const PredictOptions& given, const OpenSink& open, Events& events) {
  const StopScope scope(given.stop);
  PredictOptions options = given;
  options.data = with_hub_files(given.data);
  require_rows_to_predict(options.data, options.texts);
  require_files_for_all(options.device, "data", options.data);
  ModelOptions model = options.model;
  lower_max_length(model, model.folder, events);
  const std::unique_ptr<RowTask> task = open_task(model, model.folder, options.data, Classes::kOfModel, events);
  task->set_batch_share(batch_share(options.device.mesh, options.device.processes.get()));
  const data::Dataset rows =
      first_rows(rows_to_predict(model, options.data, options.texts, *task), options.max_predict_samples);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
  for (const std::string& line : remarks_on_task_params(model, model.folder)) events.notice(line);
  const std::unique_ptr<PredictionSink> sink =
      is_first(options.device.processes.get()) ? open(*task, rows) : std::make_unique<NoPredictions>();
  const int64_t batch_size = rows_on(options.device.mesh, options.batch_size);
  set_lengths_for(rows, model, *task, batch_size, events);
  const Device device(with_warnings(options.device, events));
  Trainer trainer(device, *task, options_without_training(options.model.folder, options.dtype));

  const Prediction prediction = predict_rows(trainer, model, *task, rows, batch_size, *sink, events);
  if (model.bad_rows) events.notice(counted(model.bad_rows->count(), "bad row") + " skipped");
  for (const std::string& line : remarks(trainer.load_report())) events.notice(line);
  return prediction;
}

}  // namespace portatune::run
