// The evaluations of a trial, read from its log.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

struct LoggedEvaluation {
  int64_t step = 0;
  double epoch = 0;  ///< Number of epochs until then, with a fraction.
  Scores scores;     ///< Without "eval_" before their names, in alphabetical order.
};

/// The score by which trials are compared.
struct DecidingScore {
  std::string name;
  bool greater_is_better = true;
  bool best_of_run = false;  ///< Whether the best evaluation of a trial counts, in place of its last one.
};

/// The part of a run that is done after a step.
/// epoch  number of epochs until then, with a fraction
double part_of_run(const RunOptions& options, int64_t step, double epoch);

/// Whether a part of a run has come to `end`. Logs round epochs to 32 bits.
inline bool reaches(double part, double end) { return part * (1 + 1e-6) >= end; }

/// All evaluations after the first step in the metrics.jsonl of a trial; empty if it has none.
/// errors  those of report::read_log()
std::vector<LoggedEvaluation> logged_evaluations(const std::filesystem::path& trial);

/// The value of the deciding score; nothing if it is absent or not a number.
std::optional<double> value_of(const Scores& scores, const DecidingScore& score);

/// The evaluation that counts for a trial; nothing if there is none.
std::optional<LoggedEvaluation> deciding_evaluation(const std::vector<LoggedEvaluation>& all,
                                                    const DecidingScore& score);

}  // namespace portatune::run
