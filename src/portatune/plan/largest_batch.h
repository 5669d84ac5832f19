// The largest batch that fits, by few compilations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace portatune::plan {

/// Bytes that a step needs with a batch of this size; nothing if its compiler finds that they are too many.
using MemoryOfBatch = std::function<std::optional<int64_t>(int64_t batch_size)>;

struct LargestBatch {
  int64_t fits = 0;                  ///< the largest that was tried and fits; 0: none
  std::optional<int64_t> too_large;  ///< the smallest that was tried and does not; none: all fitted
};

/// Looks for the largest batch that needs at most `capacity` bytes. Memory grows nearly in proportion to the batch, so
/// the line through the two last sizes tells where to try next; where that does not help, by bisection. Ends when the
/// two sizes of the result are within 1/32 of each other.
/// start         the size to begin with, at least 1
/// limit         no larger one is tried
/// compilations  calls of `memory` at most
LargestBatch largest_batch(const MemoryOfBatch& memory, int64_t capacity, int64_t start, int64_t limit,
                           int compilations);

}  // namespace portatune::plan
