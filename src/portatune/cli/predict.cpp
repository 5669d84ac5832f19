// portatune predict: a JSON object for each example, in the order of the rows.
#include "portatune/base/stop.h"
#include "portatune/cli/bad_rows.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/make_task.h"
#include "portatune/cli/report.h"
#include "portatune/cli/result_file.h"
#include "portatune/cli/rows.h"
#include "portatune/cli/signals.h"

namespace portatune::cli {
namespace {

// NAME.json is one document, if the task has such a form; anything else an object a line.
std::unique_ptr<PredictionLines> predictions_of(const RowTask& task, const std::filesystem::path& output) {
  std::unique_ptr<PredictionLines> document = output.extension() == ".json" ? task.prediction_document() : nullptr;
  return document != nullptr ? std::move(document) : task.prediction_lines();
}

}  // namespace

int predict(const PredictArguments& a) {
  constexpr auto kLabels = RowTask::Labels::kIgnored;
  const std::unique_ptr<RowTask> task = make_task(a.model, a.model.folder, a.data, Classes::kOfModel);
  const data::Dataset rows = read_rows(a.model, a.data, *task, kLabels);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) say(a.talk, line);
  catch_signals();  // before there is a file, so that nothing half-written stays behind
  const auto batches = [&] { return evaluation_batches(a.model, *task, rows, a.batch_size, kLabels); };
  const std::vector<int64_t> lengths =
      choose_lengths(*task, a.model.padding, a.model.options.max_length, {batches()}, {}, a.talk);
  if (!lengths.empty()) task->set_lengths(lengths);
  ResultFile file(a.output);
  const Device device(with_warnings(a.device, a.talk));
  Trainer trainer(device, *task, {.dtype = a.dtype});

  const std::unique_ptr<PredictionLines> lines = predictions_of(*task, a.output);
  trainer.predict(batches(), [&](const data::Example& batch, const data::Example& outputs) {
    stop_if_requested();
    file.write(lines->take(batch, outputs));
  });
  file.write(lines->finish());
  file.finish();
  if (a.model.bad_rows) say(a.talk, told(*a.model.bad_rows));
  for (const std::string& line : remarks(trainer.load_report())) say(a.talk, line);
  return kOk;
}

}  // namespace portatune::cli
