// Search for the largest batch that fits, with few compilations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace portatune::plan {

/// Bytes that a step needs with a batch of this size; nothing if its compiler finds that memory is too small.
using MemoryOfBatch = std::function<std::optional<int64_t>(int64_t batch_size)>;

struct LargestBatch {
  int64_t fits = 0;                  ///< largest tried size that fits; 0: none
  std::optional<int64_t> too_large;  ///< smallest tried size that does not fit; none: all fitted
};

/// Searches for the largest batch that needs at most `capacity` bytes. Memory grows nearly in proportion to the batch,
/// so the line through the last two sizes predicts the next one to try; bisection replaces it if it does not help. Ends
/// when the two sizes of the result are within 1/32 of each other.
/// start         the first size to try, at least 1
/// limit         the largest size to try
/// compilations  maximal number of calls of `memory`
LargestBatch largest_batch(const MemoryOfBatch& memory, int64_t capacity, int64_t start, int64_t limit,
                           int compilations);

}  // namespace portatune::plan
