// portatune predict: writes a line for each row, in the order of the rows.
#include "portatune/base/message.h"
#include "portatune/base/stop.h"
#include "portatune/cli/bad_rows.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/model_settings.h"
#include "portatune/cli/prediction_file.h"
#include "portatune/cli/report.h"
#include "portatune/cli/signals.h"
#include "portatune/cli/terminal_events.h"
#include "portatune/run/inputs/make_task.h"
#include "portatune/run/inputs/model_length.h"
#include "portatune/run/inputs/padding.h"
#include "portatune/run/inputs/rows.h"

namespace portatune::cli {
namespace {

constexpr auto kLabels = RowTask::Labels::kIgnored;

// The one column of texts that a task reads.
std::string text_column_of(const run::ModelOptions& model, const RowTask& task) {
  const std::vector<std::string> columns = task.columns(kLabels);
  const bool is_text = columns.size() == 1 && columns.front() != model.tokens_column &&
                       columns.front() != model.images.image_column && task.predicts_rows();
  if (is_text) return columns.front();
  throw UsageError({.where = "--text",
                    .given = "a model that does not read one text a row",
                    .expected = "--data FILE with columns " + list_of(columns)});
}

data::Dataset rows_of_texts(const PredictArguments& a, const RowTask& task) {
  const std::string column = text_column_of(a.model, task);
  const auto place = std::make_shared<const std::string>("--text");
  std::vector<data::Example> rows;
  for (const std::string& text : a.texts) {
    rows.push_back(data::Example(data::Origin{place, std::ssize(rows) + 1}).set(column, text));
  }
  return data::from_examples(std::move(rows));
}

void require_rows(const PredictArguments& a) {
  if (!a.data.empty() || !a.texts.empty()) return;
  throw UsageError({.where = "predict", .given = "no rows", .expected = "--data FILE, --data - or --text TEXT"});
}

}  // namespace

int predict(const PredictArguments& given) {
  PredictArguments a = given;
  TerminalEvents events(a.talk);
  require_rows(a);
  say_settings(a.model, a.settings, a.talk);
  run::lower_max_length(a.model, a.model.folder, events);
  const std::unique_ptr<RowTask> task = run::make_task(a.model, a.model.folder, a.data, run::Classes::kOfModel);
  const data::Dataset rows =
      a.texts.empty() ? run::read_rows(a.model, a.data, *task, kLabels) : rows_of_texts(a, *task);
  for (const std::string& line : remarks_on_config(task->unknown_config_keys())) events.notice(line);
  catch_signals();  // before a file exists, so that no incomplete file is left
  const std::unique_ptr<PredictionFile> file = prediction_file(a, *task, rows);
  const auto batches = [&] { return run::evaluation_batches(a.model, *task, rows, a.batch_size, kLabels); };
  const std::vector<int64_t> lengths =
      run::choose_lengths(*task, a.model.padding, a.model.options.max_length, {batches()}, {}, events);
  if (!lengths.empty()) task->set_lengths(lengths);
  const Device device(run::with_warnings(a.device, events));
  Trainer trainer(device, *task, {.dtype = a.dtype, .new_weights = NewWeights::kNone});

  const std::unique_ptr<run::RowProgress> progress = events.progress("predicting");
  trainer.predict(progress->over(batches()), [&](const data::Example& batch, const data::Example& outputs) {
    stop_if_requested();
    file->add(batch, outputs);
  });
  progress->finish();
  file->finish();
  if (a.model.bad_rows) events.notice(skipped_text(*a.model.bad_rows));
  for (const std::string& line : remarks(trainer.load_report())) events.notice(line);
  return kOk;
}

}  // namespace portatune::cli
