// --padding: the lengths that batches of texts are padded to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/lengths.h"

namespace portatune {
class RowTask;
}

namespace portatune::data {
class Dataset;
}

namespace portatune::cli {

struct Talk;

/// What --padding says.
struct Padding {
  enum class Kind { kMaxLength, kMultipleOf, kBuckets, kAuto };
  Kind kind = Kind::kMaxLength;
  int64_t number = 0;            ///< the multiple, or how many lengths to choose
  std::vector<int64_t> lengths;  ///< of the buckets
};

constexpr const char* kPaddingWords = "max_length, multiple_of=N, buckets=A,B,... or auto=N";

/// Nothing for what is none of kPaddingWords, or not with numbers of at least 1.
std::optional<Padding> padding_called(const std::string& text);

/// The lengths of a policy, ascending, without those above what `longest` needs; at most max_length.
/// examples  of which auto pads as little as possible
/// longest   of all examples there will be
/// errors    UsageError for a bucket above max_length
std::vector<int64_t> lengths_of(const Padding& padding, int64_t max_length, const data::LengthCounts& examples,
                                int64_t longest);

/// The share of tokens in what batches of these lengths hold, and how many examples each length is for: a line each.
std::vector<std::string> describe_lengths(const data::LengthCounts& examples, const std::vector<int64_t>& lengths,
                                          int64_t max_length);

/// Counts the examples, chooses the lengths of the task's batches and says which. Nothing for max_length, as that is
/// what tasks do anyway.
/// chosen_for, others  batches of examples that lengths are chosen by, and that must only find room
std::vector<int64_t> choose_lengths(const RowTask& task, const Padding& padding, int64_t max_length,
                                    const std::vector<data::Dataset>& chosen_for,
                                    const std::vector<data::Dataset>& others, const Talk& talk);

}  // namespace portatune::cli
