// The results of runs as lines of JSON.
#pragma once

#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/predictions/used_models.h"

namespace portatune::run {

/// The result of one evaluation; of several, an object with one for each name.
std::string json_of(const std::vector<NamedEvaluation>& evaluations);
std::string json_of(const Outcome& outcome);
std::string json_of(const FoldOutcome& outcome);
std::string json_of(const SweepOutcome& outcome);

}  // namespace portatune::run
