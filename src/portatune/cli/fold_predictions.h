// What the models of a cross-validation make of rows that they have not seen.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/run/events.h"

namespace portatune {
class Trainer;
}

namespace portatune::cli {

/// The folder of a fold's model; folds are numbered from 0, folders from 1.
std::filesystem::path folder_of(const FitArguments& a, int64_t fold);

/// The rows of a fold, or the others.
data::Dataset rows_of(const data::Dataset& rows, const std::vector<int>& fold_of, int64_t fold, bool inside);

/// Sums the outputs of several models for the same batches.
class MeanOutputs {
 public:
  /// batch  its number; those of the first model come in order
  void add(size_t batch, const data::Example& outputs);
  data::Example mean(size_t batch, int64_t models) const;

 private:
  std::vector<data::Example> sums_;
};

/// Predictions and scores of the rows that each model has left out, and of the test rows by the mean of the outputs of
/// all models.
class FoldPredictions {
 public:
  /// a, fold_of, events  must outlive this object
  FoldPredictions(const FitArguments& a, const std::vector<int>& fold_of, run::Events& events)
      : a_(a), fold_of_(fold_of), events_(events) {}

  /// Predicts with the model of a fold: of all folds, in order. Stopped after a signal.
  void add(int64_t fold);

  /// The lines of all rows in their order; those of the test rows, if there are any.
  void write(const std::filesystem::path& out_of_fold, const std::filesystem::path& test);

  const std::vector<Scores>& scores() const { return scores_; }
  Scores scores_of_all() const { return metrics_->result(); }

 private:
  void add_held_out(const RowTask& task, Trainer& trainer, int64_t fold);
  void add_test(const RowTask& task, Trainer& trainer, int64_t fold);

  const FitArguments& a_;
  const std::vector<int>& fold_of_;
  run::Events& events_;
  std::vector<std::unique_ptr<RowTask>> tasks_;          // which the metrics may refer to
  std::vector<std::deque<std::string>> held_out_lines_;  // of each fold
  std::vector<Scores> scores_;
  std::unique_ptr<Metrics> metrics_;
  MeanOutputs test_outputs_;
  std::string test_lines_;
};

}  // namespace portatune::cli
