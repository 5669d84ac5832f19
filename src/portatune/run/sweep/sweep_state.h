// The file sweep.json: the trials of a sweep and what is known of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {

/// Name of the file in the output folder. It marks the folder of a sweep.
inline constexpr const char* kSweepFile = "sweep.json";

/// The result of a trial after a rung.
struct RungResult {
  int64_t step = 0;
  Scores scores;
};

struct TrialState {
  std::map<size_t, RungResult> rungs;  ///< Results by rung. Seeds that join at a later rung have none for earlier ones.
  std::string error;                   ///< The error that ended the trial; empty: none.

  bool has_begun() const { return !rungs.empty() || !error.empty(); }
  /// The newest result; null if there is none.
  const RungResult* last() const { return rungs.empty() ? nullptr : &rungs.rbegin()->second; }
};

/// The state of a sweep. It has no times, so that an interrupted sweep ends with the same file as any other.
class SweepState {
 public:
  /// Continues the state in `output`, if there is one.
  /// facts   what a resumed sweep must share with the one that it continues
  /// errors  UsageError for other facts; CheckpointError for a file that cannot be read
  SweepState(std::filesystem::path output, train::RunFacts facts, const std::vector<Trial>& trials);

  const TrialState& trial(size_t index) const { return states_[index]; }
  const std::string& best() const { return best_; }

  /// Each saves the file, atomically.
  void add(size_t trial, size_t rung, RungResult result);
  void fail(size_t trial, std::string error);
  void set_best(std::string trial);

 private:
  void load();
  void save() const;

  const std::filesystem::path file_;
  const train::RunFacts facts_;
  const std::vector<Trial>& trials_;
  std::vector<TrialState> states_;
  std::string best_;
};

}  // namespace portatune::run
