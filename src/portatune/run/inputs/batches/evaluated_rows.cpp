#include "portatune/run/inputs/batches/evaluated_rows.h"

#include <memory>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/clock.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/rows/rows.h"

namespace portatune::run {
namespace {

constexpr auto kNoLabels = RowTask::Labels::kIgnored;

// The one column of texts that a task reads.
std::string text_column_of(const RowTask& task) {
  const std::vector<std::string> columns = task.columns(kNoLabels);
  if (task.reads_one_text()) return columns.front();
  throw UsageError({.where = "--text",
                    .given = "a model that does not read one text a row",
                    .expected = "--data FILE with columns " + list_of(columns)});
}

data::Dataset rows_of_texts(const std::vector<std::string>& texts, const RowTask& task) {
  const std::string column = text_column_of(task);
  const auto file = std::make_shared<const std::string>("--text");
  std::vector<data::Example> rows;
  for (const std::string& text : texts) {
    rows.push_back(data::Example(data::Origin{file, std::ssize(rows) + 1}).set(column, text));
  }
  return data::from_examples(std::move(rows));
}

}  // namespace

void require_rows(const std::vector<std::string>& words) {
  if (!words.empty()) return;
  throw UsageError({.where = "evaluate", .given = "no rows", .expected = "--data FILE"});
}

void require_rows_to_predict(const std::vector<std::string>& files, const std::vector<std::string>& texts) {
  if (!files.empty() || !texts.empty()) return;
  throw UsageError({.where = "predict", .given = "no rows", .expected = "--data FILE, --data - or --text TEXT"});
}

std::vector<ValidationSet> evaluation_sets(const ModelOptions& model, const std::vector<std::string>& words,
                                           RowTask& task, int64_t batch_size, Events& events, int64_t max_rows) {
  const auto sets = [&] { return validation_sets(model, words, task, batch_size, max_rows); };
  std::vector<data::Dataset> batches;
  for (const ValidationSet& set : sets()) {
    batches.push_back(counted_batches(model, task, set.rows, batch_size, RowTask::Labels::kRequired));
  }
  set_lengths(task, choose_lengths(task, model.padding, batches, {}, events));
  return sets();
}

data::Dataset rows_to_predict(const ModelOptions& model, const std::vector<std::string>& files,
                              const std::vector<std::string>& texts, const RowTask& task) {
  return texts.empty() ? read_rows(model, files, task, kNoLabels) : rows_of_texts(texts, task);
}

void set_lengths_for(const data::Dataset& rows, const ModelOptions& model, RowTask& task, int64_t batch_size,
                     Events& events) {
  const data::Dataset batches = counted_batches(model, task, rows, batch_size, kNoLabels);
  set_lengths(task, choose_lengths(task, model.padding, {batches}, {}, events));
}

Prediction predict_rows(Trainer& trainer, const ModelOptions& model, const RowTask& task, const data::Dataset& rows,
                        int64_t batch_size, PredictionSink& sink, Events& events) {
  const std::unique_ptr<RowProgress> progress = events.progress("predicting");
  const Clock::time_point start = Clock::now();
  const data::Dataset batches = evaluation_batches(model, task, rows, batch_size, kNoLabels);
  trainer.predict(progress->over(interruptible(batches)),
                  [&](const data::Example& batch, const data::Example& outputs) { sink.add(batch, outputs); });
  progress->finish();
  sink.finish();
  return {.examples = progress->rows(), .seconds = seconds_since(start)};
}

}  // namespace portatune::run
