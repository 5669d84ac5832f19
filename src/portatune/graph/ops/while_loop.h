// Loops over an index, and their recognition in graphs.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/graph.h"

namespace portatune {

/// Values that an iteration of a loop computes, or those of the whole loop.
struct LoopValues {
  Values sums;   ///< added up over the iterations
  Values parts;  ///< put side by side along the first axis
};
/// Runs a loop over index = 0, 1, ..., count - 1.
/// of_index  values of one iteration, which depend on the index; parts have at least one axis
/// index     an int32 scalar from parameter()
LoopValues loop_over(const LoopValues& of_index, const Value& index, int64_t count);

/// The body of a loop over an index: a function of its arguments and of values from outside.
struct CountedLoop {
  Values arguments, results;
  int64_t count;  ///< number of iterations
};
/// The body of such a loop; absent for another op.
std::optional<CountedLoop> counted_loop(const Op& op);

}  // namespace portatune
