// The plan of a run as a line of JSON.
#pragma once

#include <string>
#include <vector>

#include "portatune/analysis/plan/timed_plan.h"
#include "portatune/run/probes/planned_run.h"

namespace portatune::run {

/// The plan of a run for its targets.
std::string json_of(const PlannedRun& run, const std::vector<plan::PlannedTarget>& targets);

}  // namespace portatune::run
