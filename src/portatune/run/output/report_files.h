// The report of a run in its output folder.
#pragma once

#include <optional>
#include <vector>

#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Writes report.json, with facts about the data, and report.html into the output folder of a run with a log. Only the
/// first process writes. A failure is a warning, because the model is saved.
/// validation  survey of each set; none if it was not read
void write_report(const RunPlan& plan, const DataSurvey& train,
                  const std::vector<std::optional<DataSurvey>>& validation, Events& events);

}  // namespace portatune::run
