// The report of a run in its output folder.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/records/metrics_log.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// Writes a report. A failure is a warning, because the models are saved.
void write_or_warn(const std::function<void()>& write, Events& events);

/// A run that has ended.
struct ReportedRun {
  const RunPlan& plan;
  const DataSurvey& train;  ///< Survey of the training rows.
  std::span<const ValidationSet> validation;
  /// Surveys of the validation sets; none if a set was not read.
  const std::vector<std::optional<DataSurvey>>& surveys;
  int64_t saved_step = 0;                ///< step of the saved weights
  std::function<Json()> step_cost = {};  ///< Returns step_cost(); empty: it is left out.
};

/// Writes report.json, with facts about the data and the step and texts of mistakes, and report.html into the output
/// folder of a run with a log. Only the first process writes. A failure is a warning; a stop request skips the report.
void write_report(const ReportedRun& run, Events& events);

}  // namespace portatune::run
