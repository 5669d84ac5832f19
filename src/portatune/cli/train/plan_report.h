// Plans as text; run/probes/plan_json.h has their JSON.
#pragma once

#include <string>
#include <vector>

#include "portatune/analysis/plan/timed_plan.h"
#include "portatune/run/probes/planned_run.h"

namespace portatune::cli {

/// The plan of a run for its targets.
struct PlanReport {
  const run::PlannedRun& run;
  std::vector<plan::PlannedTarget> targets = {};
};

/// Tables of memory and of time with a row for each target, then remarks.
std::string table_of(const PlanReport& report);

}  // namespace portatune::cli
