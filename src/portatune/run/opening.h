// The description of a run before training.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

struct Opening {
  const RunPlan& plan;
  const RowTask& task;
  const Device& device;
  const Trainer& trainer;    ///< Its weights are loaded.
  const FitOptions& length;  ///< Number of epochs and steps.
  const DataSurvey& train;
  const std::vector<std::optional<DataSurvey>>& validation;  ///< Survey of each set; none if it is not read yet.
};

/// Number of all steps of the run.
int64_t total_steps(const Opening& opening);

/// Remarks on the model: keys of its config without effect, and those of remarks().
std::vector<std::string> notes_of(const Opening& opening);

/// Warnings of probable mistakes: those of the data, weights of the body that start at random, a head that is replaced,
/// and classes of the checkpoint that get other names.
std::vector<std::string> warnings_of(const Opening& opening);

}  // namespace portatune::run
