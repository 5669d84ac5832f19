// Comparisons of runs and times as lines of JSON.
#pragma once

#include <string>

#include "portatune/run/probes/compared_runs.h"
#include "portatune/run/probes/input_times.h"
#include "portatune/run/probes/step_times.h"

namespace portatune::run {

/// The comparison with all tensors.
std::string json_of(const ComparedRuns& runs);
std::string json_of(const InputTimes& times);
std::string json_of(const StepTimes& times);

}  // namespace portatune::run
