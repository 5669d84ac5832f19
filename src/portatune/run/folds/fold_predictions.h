// Predictions of the models of a cross-validation for rows that they have not seen.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/run/run_plan.h"

namespace portatune {
class Trainer;
}

namespace portatune::run {

/// The folder of a fold's model. Folds are numbered from 0, folders from 1.
std::filesystem::path folder_of(const RunOptions& a, int64_t fold);

/// The rows of a fold if `inside`, else the others.
data::Dataset rows_of(const data::Dataset& rows, const std::vector<int>& fold_of, int64_t fold, bool inside);

/// Sums the outputs of several models for the same batches.
class MeanOutputs {
 public:
  /// batch  index of the batch; the first model adds them in order
  void add(size_t batch, const data::Example& outputs);
  data::Example mean(size_t batch, int64_t models) const;

 private:
  std::vector<data::Example> sums_;
};

/// Predictions and scores of the rows that each model has left out, and of the test rows by the mean of the outputs of
/// all models.
class FoldPredictions {
 public:
  /// plan, fold_of, events  must outlive this object
  FoldPredictions(const RunPlan& plan, const std::vector<int>& fold_of, Events& events)
      : plan_(plan), fold_of_(fold_of), events_(events) {}

  /// Predicts with the model of a fold. The folds must be added in order. A stop request ends the
  /// prediction with Stopped.
  void add(int64_t fold);

  /// Writes the predictions of all rows in their order, and those of the test rows if there are any.
  void write(const std::filesystem::path& out_of_fold, const std::filesystem::path& test);

  const std::vector<Scores>& scores() const { return scores_; }
  Scores scores_of_all() const { return metrics_->result(); }

 private:
  void add_held_out(const RowTask& task, Trainer& trainer, int64_t fold);
  void add_test(const RowTask& task, Trainer& trainer, int64_t fold);

  const RunPlan& plan_;
  const std::vector<int>& fold_of_;
  Events& events_;
  std::vector<std::unique_ptr<RowTask>> tasks_;           // the metrics may refer to them
  std::vector<std::vector<std::string>> held_out_lines_;  // per fold
  std::vector<Scores> scores_;
  std::unique_ptr<Metrics> metrics_;
  MeanOutputs test_outputs_;
  std::string test_lines_;
};

}  // namespace portatune::run
