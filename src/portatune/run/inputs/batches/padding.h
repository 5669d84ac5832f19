// Padding: the lengths of batches of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/run.h"

namespace portatune {
class RowTask;
}

namespace portatune::run {

constexpr const char* kPaddingWords = "auto, auto=N, max_length, multiple_of=N or buckets=A,B,...";

/// Returns nothing if `text` is not one of kPaddingWords or a number is below 1.
std::optional<Padding> padding_called(const std::string& text);

/// The policy for a task: the given one, else auto where examples vary in length, else max_length.
Padding padding_for(const std::optional<Padding>& given, const RowTask& task);

/// The lengths of a policy, ascending, at most max_length, and none above the first that holds `longest`.
/// examples  the examples whose padding auto minimises
/// longest   the length of the longest example that must fit
/// errors    UsageError for a bucket above max_length
std::vector<int64_t> lengths_of(const Padding& padding, int64_t max_length, const data::LengthCounts& examples,
                                int64_t longest);

/// A line with the share of padding among the positions of such batches, then a histogram with a line per length.
/// unit  what lengths count
std::vector<std::string> describe_lengths(const data::LengthCounts& examples, const std::vector<int64_t>& lengths,
                                          int64_t max_length, const std::string& unit = "tokens");

/// The lengths of batches.
struct BatchLengths {
  std::vector<int64_t> lengths;         ///< ascending; empty: the task's own lengths apply
  std::vector<data::LengthPair> pairs;  ///< the same for a task with targets
};

/// Counts the lengths of examples, chooses the lengths of the task's batches and reports them.
/// padding     the given policy; see padding_for()
/// chosen_for  batches whose padding is minimised
/// others      batches that must fit too
/// returns     no lengths for max_length and where there are no examples
BatchLengths choose_lengths(const RowTask& task, const std::optional<Padding>& padding,
                            const std::vector<data::Dataset>& chosen_for, const std::vector<data::Dataset>& others,
                            Events& events);

/// Sets the lengths in the task, if there are any.
void set_lengths(RowTask& task, const BatchLengths& chosen);

}  // namespace portatune::run
