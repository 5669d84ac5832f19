// Successive halving, and the order of configurations by their scores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/sweep/trial_score.h"

namespace portatune::run {

/// The trials with equal settings, by their indices.
struct Configuration {
  std::vector<TrialSetting> settings;
  std::vector<size_t> trials;
};

/// The configurations in the order of their first trials.
std::vector<Configuration> configurations_of(const std::vector<Trial>& trials);

struct MeanScore {
  double mean = 0, deviation = 0;  ///< NaN without a score; deviation 0 for a single one.
  bool complete = true;            ///< Whether every trial has a score.
};

MeanScore mean_of(const std::vector<std::optional<double>>& scores);

/// Whether `a` is better than `b`. A configuration with a failed trial is worse than any without.
bool is_better(const MeanScore& a, const MeanScore& b, bool greater_is_better);

/// The parts of a run after which halving compares the trials, ascending and below 1. A trial is compared by its first
/// evaluation from then on.
/// configurations  their number
/// factor          one in so many continues
/// errors          UsageError if the trials are not known to have an evaluation before the end
std::vector<double> halving_parts(const RunOptions& options, int64_t configurations, int64_t factor);

}  // namespace portatune::run
