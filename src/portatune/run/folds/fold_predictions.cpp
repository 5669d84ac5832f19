#include "portatune/run/folds/fold_predictions.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/files/output_file.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/task/adapter.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/predictions/prediction_lines.h"
#include "portatune/tasks/metrics/all_metrics.h"

namespace portatune::run {
namespace {

Tensor sum_of(const Tensor& a, const Tensor& b) {
  std::vector<float> sum(a.as<float>().begin(), a.as<float>().end());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += b.as<float>()[i];
  return Tensor(a.shape(), std::span<const float>(sum));
}

Tensor quotient(const Tensor& a, int64_t divisor) {
  std::vector<float> values(a.as<float>().begin(), a.as<float>().end());
  for (float& value : values) value /= static_cast<float>(divisor);
  return Tensor(a.shape(), std::span<const float>(values));
}

// Writes both files or none.
void write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& texts) {
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::vector<AtomicFile*> all;
  for (const auto& [path, text] : texts) {
    remove_leftovers({&path, 1});
    files.push_back(std::make_unique<AtomicFile>(path));
    files.back()->write(text);
    files.back()->finish();
    all.push_back(files.back().get());
  }
  AtomicFile::commit_together(all);
}

}  // namespace

std::filesystem::path folder_of(const RunOptions& a, int64_t fold) {
  return a.output / fmt::format("fold-{}", fold + 1);
}

data::Dataset rows_of(const data::Dataset& rows, const std::vector<int>& fold_of, int64_t fold, bool inside) {
  std::vector<bool> is_chosen;
  for (const int f : fold_of) is_chosen.push_back((f == fold) == inside);
  return rows.select(std::move(is_chosen));
}

void MeanOutputs::add(size_t batch, const data::Example& outputs) {
  if (batch == sums_.size()) {
    sums_.push_back(outputs);
    return;
  }
  data::Example& sums = sums_.at(batch);
  for (const auto& [name, value] : outputs.columns()) {
    sums.set(name, sum_of(sums.tensor(name), outputs.tensor(name)));
  }
}

data::Example MeanOutputs::mean(size_t batch, int64_t models) const {
  data::Example mean;
  for (const auto& [name, value] : sums_.at(batch).columns()) {
    mean.set(name, quotient(sums_.at(batch).tensor(name), models));
  }
  return mean;
}

void FoldPredictions::add(int64_t fold) {
  tasks_.push_back(open_task(plan_.model, folder_of(plan_, fold), plan_.train, Classes::kOfModel, events_));
  const RowTask& task = *tasks_.back();
  const Device device(with_warnings(plan_.device, events_));
  Trainer trainer(device, task, options_without_training(folder_of(plan_, fold), plan_.training.dtype));
  add_held_out(task, trainer, fold);
  if (!plan_.test.empty()) add_test(task, trainer, fold);
}

void FoldPredictions::add_held_out(const RowTask& task, Trainer& trainer, int64_t fold) {
  constexpr auto kLabels = RowTask::Labels::kRequired;
  const data::Dataset rows = rows_of(read_rows(plan_.model, plan_.train, task, kLabels), fold_of_, fold, true);
  if (!metrics_) metrics_ = tasks::all_metrics(task);
  const std::unique_ptr<Metrics> of_fold = tasks::all_metrics(task);
  const std::unique_ptr<PredictionLines> lines = task.prediction_lines();
  std::string text;
  trainer.predict(evaluation_batches(plan_.model, task, rows, eval_batch_size(plan_), kLabels),
                  [&](const data::Example& batch, const data::Example& outputs) {
                    stop_if_requested();
                    of_fold->update(batch, outputs);
                    metrics_->update(batch, outputs);
                    text += lines->take(batch, outputs);
                  });
  held_out_lines_.push_back(lines_of(text + lines->finish()));
  const auto wanted = std::ranges::count(fold_of_, static_cast<int>(fold));
  if (const auto found = std::ssize(held_out_lines_.back()); found != wanted) {
    throw DataError({.where = "predictions of fold " + std::to_string(fold + 1),
                     .given = std::to_string(found) + " lines for " + std::to_string(wanted) + " rows",
                     .expected = "a line for each row"});
  }
  scores_.push_back(of_fold->result());
}

void FoldPredictions::add_test(const RowTask& task, Trainer& trainer, int64_t fold) {
  constexpr auto kLabels = RowTask::Labels::kIgnored;
  const bool is_last = fold + 1 == plan_.folds;
  const std::unique_ptr<PredictionLines> lines = task.prediction_lines();
  size_t number = 0;
  const data::Dataset rows = read_rows(plan_.model, plan_.test, task, kLabels);
  trainer.predict(evaluation_batches(plan_.model, task, rows, eval_batch_size(plan_), kLabels),
                  [&](const data::Example& batch, const data::Example& outputs) {
                    stop_if_requested();
                    test_outputs_.add(number, outputs);
                    if (is_last) test_lines_ += lines->take(batch, test_outputs_.mean(number, plan_.folds));
                    ++number;
                  });
  if (is_last) test_lines_ += lines->finish();
}

void FoldPredictions::write(const std::filesystem::path& out_of_fold, const std::filesystem::path& test) {
  std::string text;
  std::vector<size_t> written(held_out_lines_.size());  // number of lines of each fold
  for (const int fold : fold_of_) {
    const auto index = static_cast<size_t>(fold);
    text += held_out_lines_.at(index).at(written[index]++) + "\n";
  }
  std::vector<std::pair<std::filesystem::path, std::string>> texts = {{out_of_fold, std::move(text)}};
  if (!plan_.test.empty()) texts.emplace_back(test, test_lines_);
  write_files(texts);
}

}  // namespace portatune::run
