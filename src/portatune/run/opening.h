// The description of a run before training.
#pragma once

#include <optional>
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

}  // namespace portatune::run
