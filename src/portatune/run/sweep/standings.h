// The order of the configurations of a sweep, by the results of their trials so far.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/sweep/ranking.h"
#include "portatune/run/sweep/sweep_state.h"
#include "portatune/run/sweep/trial_score.h"

namespace portatune::run {

/// The standings of a sweep, always those of the present state, to which the object refers.
class Standings {
 public:
  /// All references must outlive this object.
  /// score  decides between configurations
  /// loss   decides where the means of the score are equal
  Standings(const SweepOptions& options, const std::vector<Rung>& rungs, const SweepState& state, DecidingScore score,
            DecidingScore loss);

  /// Returns whether a trial is trained to the end of the last rung, or has failed.
  bool has_ended(size_t trial) const;

  /// The configurations by their means, the best one first; those with equal means in the order of their trials.
  std::vector<Configuration> ranked(std::vector<Configuration> configurations) const;
  /// The better part of the configurations after a rung, in their old order. Warns if the loss had to decide.
  std::vector<Configuration> survivors(const std::vector<Configuration>& configurations, size_t rung,
                                       Events& events) const;
  /// The best of the trials of a configuration that have trained to the end; empty if there is none.
  std::string best_trial(const Configuration& configuration) const;

  /// The results of all trials. Configurations that have trained longer come first: halving has found them better.
  SweepOutcome outcome() const;

 private:
  std::optional<double> score_of(size_t trial, const DecidingScore& score) const;
  std::vector<size_t> begun_trials(const Configuration& configuration) const;
  MeanScore mean_score(const Configuration& configuration, const DecidingScore& score) const;
  MeanScore mean_after(const Configuration& configuration, size_t rung, const DecidingScore& score) const;
  template <class Mean>
  std::vector<Configuration> ranked_by(std::vector<Configuration> configurations, const Mean& mean) const;
  void warn_of_equal_means(const MeanScore& last_survivor, const MeanScore& next, Events& events) const;
  size_t last_rung_of(const Configuration& configuration) const;
  SweepRow row_of(const Configuration& configuration) const;

  const SweepOptions& options_;
  const std::vector<Rung>& rungs_;
  const SweepState& state_;
  const DecidingScore score_, loss_;
};

}  // namespace portatune::run
