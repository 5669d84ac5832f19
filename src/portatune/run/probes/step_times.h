// The times of training steps on random tokens: `portatune bench`.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

struct StepTimesOptions {
  RunOptions run;  ///< only its model, training options, adapters and device are used
  int64_t batch_size = 16;
  int64_t steps = 20, warmup = 3;
};

struct StepTimes {
  std::vector<double> seconds;  ///< of each step
  double compile_seconds = 0;
  bool from_cache = false;  ///< whether the program was compiled before
};

/// Trains a classifier of two classes on one batch of random tokens, whose masks leave between half and all of the
/// tokens.
/// errors  those of the model and the device
StepTimes time_steps(const StepTimesOptions& options);

}  // namespace portatune::run
