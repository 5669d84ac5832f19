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

/// A part of the training, up to its first evaluation from `end` on.
struct Rung {
  double end;    ///< share of the run after which the trials are compared; infinite for the last rung, the whole run
  size_t seeds;  ///< number of seeds with which each configuration has trained so far
};

/// The rungs of successive halving, with rising ends. A comparison after a third of the run has a third of the seeds,
/// rounded up.
/// configurations  their number
/// seeds           number of seeds of each
/// factor          one in so many continues after each rung; 0: there is the last rung alone
/// errors          UsageError if the trials are not known to have an evaluation before the end
std::vector<Rung> rungs_of(const RunOptions& options, size_t configurations, size_t seeds, int64_t factor);

}  // namespace portatune::run
