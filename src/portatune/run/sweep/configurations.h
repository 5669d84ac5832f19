// The configurations of a sweep: all combinations of values of options, or random ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

/// Numbers from `low` to `high`.
struct SweptRange {
  double low, high;
  bool is_whole;  ///< whether both ends are integers, as the drawn numbers then are
};

/// An option with its values, or with a range.
struct SweptOption {
  std::string name;  ///< "learning-rate"
  std::string text;  ///< its values or its range, as they were given
  std::vector<std::string> values;
  std::optional<SweptRange> range;
};

/// The option with the values of a text: "1e-5,3e-5", or a range "1e-5..1e-4".
/// errors  UsageError for a range that does not ascend or is below 0
SweptOption swept_option(const std::string& name, const std::string& text);

/// All combinations of the values, those of the last option next to each other.
/// errors  UsageError for a range, and for more combinations than a sweep may have
std::vector<std::vector<TrialSetting>> all_configurations(const std::vector<SweptOption>& options);

/// Different random configurations in the order in which they are drawn: a value with equal probability, a number of a
/// range on a logarithmic scale, or on a linear one if the range begins with 0.
/// errors  UsageError if there are fewer configurations
std::vector<std::vector<TrialSetting>> random_configurations(const std::vector<SweptOption>& options, int64_t count,
                                                             uint64_t seed);

}  // namespace portatune::run
