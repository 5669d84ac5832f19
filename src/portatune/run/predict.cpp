#include "portatune/base/clock.h"
#include "portatune/base/message.h"
#include "portatune/base/stop.h"
#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/run.h"
#include "portatune/run/inputs/batches/divided_batches.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/remarks.h"

namespace portatune::run {
namespace {

constexpr auto kLabels = RowTask::Labels::kIgnored;

// The one column of texts that a task reads.
std::string text_column_of(const RowTask& task) {
  const std::vector<std::string> columns = task.columns(kLabels);
  if (task.reads_one_text()) return columns.front();
  throw UsageError({.where = "--text",
                    .given = "a model that does not read one text a row",
                    .expected = "--data FILE with columns " + list_of(columns)});
}

data::Dataset rows_of_texts(const PredictOptions& a, const RowTask& task) {
  const std::string column = text_column_of(task);
  const auto file = std::make_shared<const std::string>("--text");
  std::vector<data::Example> rows;
  for (const std::string& text : a.texts) {
    rows.push_back(data::Example(data::Origin{file, std::ssize(rows) + 1}).set(column, text));
  }
  return data::from_examples(std::move(rows));
}

void require_rows(const PredictOptions& a) {
  if (!a.data.empty() || !a.texts.empty()) return;
  throw UsageError({.where = "predict", .given = "no rows", .expected = "--data FILE, --data - or --text TEXT"});
}

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
  require_rows(options);
  require_files_for_all(options.device, options.data);
  ModelOptions model = options.model;
  lower_max_length(model, model.folder, events);
  const std::unique_ptr<RowTask> task = open_task(model, model.folder, options.data, Classes::kOfModel, events);
  task->set_batch_share(batch_share(options.device.mesh, options.device.processes.get()));
  const data::Dataset rows =
      options.texts.empty() ? read_rows(model, options.data, *task, kLabels) : rows_of_texts(options, *task);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
  const std::unique_ptr<PredictionSink> sink =
      is_first(options.device.processes.get()) ? open(*task, rows) : std::make_unique<NoPredictions>();
  const int64_t batch_size = rows_on(options.device.mesh, options.batch_size);
  const auto batches = [&] { return evaluation_batches(model, *task, rows, batch_size, kLabels); };
  set_lengths(*task, choose_lengths(*task, model.padding, {batches()}, {}, events));
  const Device device(with_warnings(options.device, events));
  Trainer trainer(
      device, *task,
      {.dtype = options.dtype, .new_weights = NewWeights::kNone, .lora = hub::lora_of(options.model.folder)});

  const std::unique_ptr<RowProgress> progress = events.progress("predicting");
  const Clock::time_point start = Clock::now();
  trainer.predict(progress->over(interruptible(batches())),
                  [&](const data::Example& batch, const data::Example& outputs) { sink->add(batch, outputs); });
  progress->finish();
  sink->finish();
  const double seconds = seconds_since(start);
  if (model.bad_rows) events.notice(counted(model.bad_rows->count(), "bad row") + " skipped");
  for (const std::string& line : remarks(trainer.load_report())) events.notice(line);
  return {.examples = progress->rows(), .seconds = seconds};
}

}  // namespace portatune::run
