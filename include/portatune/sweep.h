// Sweeps: many runs that differ in some options, as one program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

/// An option of a trial and its value as text: "learning-rate", "3e-5".
using TrialSetting = std::pair<std::string, std::string>;

/// A run of a sweep.
struct Trial {
  std::vector<TrialSetting> settings;  ///< Options in which trials differ, without the seed: a configuration.
  RunOptions options;                  ///< All options, with these settings. The sweep chooses the output folder.
};

/// The options of a sweep.
struct SweepOptions {
  /// Trials whose options differ only in `settings`, in the seed and in the command of their records.
  std::vector<Trial> trials;
  std::filesystem::path output;   ///< Folder of the trials, of their table and of the best model.
  bool resume = false;            ///< Whether to continue the sweep in `output`, if there is one.
  bool overwrite_output = false;  ///< Whether a sweep in `output` may be replaced.
  /// Successive halving: only one in so many configurations continues after each part of the training. 0: all train to
  /// the end.
  int64_t halving_factor = 0;
  bool keep_models = false;  ///< Whether all trials keep their weights and checkpoints; only the best model otherwise.
};

/// A configuration with the results of its seeds.
struct SweepRow {
  std::vector<TrialSetting> settings;
  std::vector<std::string> trials;            ///< Names of its trials, by seed.
  std::vector<uint64_t> seeds;                ///< Their seeds.
  std::vector<std::optional<double>> scores;  ///< Score of each trial; none: it has failed.
  double mean = 0;                            ///< Mean of these scores; NaN if all trials have failed.
  double deviation = 0;                       ///< Sample standard deviation; 0 for a single score.
  int64_t steps = 0;                          ///< Number of steps of its trials: fewer if halving has ended them.
};

/// A trial that has failed.
struct FailedTrial {
  std::string name;
  std::string error;  ///< On one line.
};

/// The result of sweep().
struct SweepOutcome {
  std::string metric;             ///< The score that decides: "accuracy".
  bool greater_is_better = true;  ///< Whether a higher score is better.
  std::vector<SweepRow> rows;     ///< The configurations, the best first.
  std::string best;               ///< Name of the best trial of the best configuration; empty if all have failed.
  std::vector<FailedTrial> failed;
  std::filesystem::path output;
};

/// Name of a trial's folder in the output folder: "trial-001" is that of trial 0.
std::string trial_name(size_t trial);

/// Trains all trials, one after the other on one device, each as fit() would train it alone, to the bit. Trials read
/// the rows and compile programs together where their options allow it. A configuration with a higher mean score over
/// its seeds is better, by the score of BestModelOptions. The output folder gets a folder for each trial, `best` with
/// the best model, sweep.json, sweep.csv and report.html. A trial that fails, because a number is not finite or memory
/// is short, does not end the sweep.
/// returns  nothing if the sweep was stopped on request
/// errors   UsageError for options that exclude each other, before any training; those of fit()
std::optional<SweepOutcome> sweep(const SweepOptions& options, Events& events);

}  // namespace portatune::run
