// The rows of a run with the facts about them.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/inputs/rows/split.h"

namespace portatune::run {

/// The rows of a run, or of several runs that read and encode them alike. The first run that needs a survey makes it.
/// Thread-safe.
class SurveyedRows {
 public:
  explicit SurveyedRows(Split rows) : rows_(std::move(rows)) {}

  const data::Dataset& train() const { return rows_.train; }
  const std::vector<ValidationSet>& validation() const { return rows_.validation; }

  /// errors  those of survey()
  const DataSurvey& survey_of_train(const RunPlan& plan) {
    const std::lock_guard lock(mutex_);
    if (!train_) train_ = survey(plan.model, *plan.task, rows_.train);
    return *train_;
  }
  /// errors  those of survey_validation()
  const std::vector<std::optional<DataSurvey>>& survey_of_validation(const RunPlan& plan) {
    const std::lock_guard lock(mutex_);
    if (!validation_) validation_ = survey_validation(plan, *plan.task, rows_.validation);
    return *validation_;
  }

 private:
  const Split rows_;
  std::mutex mutex_;  // guards the members below
  std::optional<DataSurvey> train_;
  std::optional<std::vector<std::optional<DataSurvey>>> validation_;
};

}  // namespace portatune::run
