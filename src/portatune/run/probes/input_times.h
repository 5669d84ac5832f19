// The speed of the input pipeline of a run: `portatune bench-input`.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/data.h"
#include "portatune/run.h"
#include "portatune/tasks.h"

namespace portatune::run {

/// The times of whole passes over the training batches.
struct InputTimes {
  int64_t passes = 0, batches = 0, examples = 0;
  TokenCount tokens;
  double seconds = 0;
  std::vector<data::Meter::Stage> stages;
};

/// A number of elements in each second; 0 if there was no time.
inline double rate(int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

/// Makes the training batches of a run for at least so many seconds, without training on them.
/// options  only its data, sizes and seed are used
/// errors   DataError without examples; those of the data
InputTimes time_input(const RunOptions& options, double seconds, Events& events);

}  // namespace portatune::run
