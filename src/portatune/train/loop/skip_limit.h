// The limit on steps that are skipped because their loss or gradient is not finite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/train.h"
#include "portatune/train/checkpoint/checkpoint.h"

namespace portatune::train {

/// The rows of a batch, for errors.
std::string rows_of(const data::Example& batch);

struct TooManySkips {
  int64_t step;
  std::string given;  ///< the number of skipped steps, and the last one
  bool in_a_row;      ///< true if the skipped steps followed each other; false if their total was too large
};

/// Counts the skipped steps of a run.
class SkipLimit {
 public:
  /// skips  the counts of the run, which a checkpoint keeps; both arguments must outlive this object
  /// steps  number of steps of the run
  SkipLimit(Skips& skips, const TrainingOptions& options, int64_t steps)
      : skips_(skips), options_(options), steps_(steps) {}

  void count(const StepResult& result, const data::Example& batch);

  /// The skips beyond the limit; none so far.
  const std::optional<TooManySkips>& exceeded() const { return exceeded_; }

 private:
  Skips& skips_;
  const TrainingOptions& options_;
  const int64_t steps_;
  std::optional<TooManySkips> exceeded_;
};

}  // namespace portatune::train
