// Choice of the lengths to which batches of texts are padded.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace portatune::data {

/// The number of examples of each length.
using LengthCounts = std::map<int64_t, int64_t>;

/// Positions of all examples, padding included, if each is padded to the smallest of `lengths` that holds it.
/// lengths  ascending
/// errors   UsageError if an example is longer than all of them
int64_t padded_positions(const LengthCounts& examples, std::span<const int64_t> lengths);

/// At most `count` lengths with the fewest padded_positions(), ascending; the last is the length of the longest
/// example. Takes count x (number of different lengths)^2 steps.
/// errors  UsageError for a count below 1, or no examples
std::vector<int64_t> choose_lengths(const LengthCounts& examples, int64_t count);

}  // namespace portatune::data
