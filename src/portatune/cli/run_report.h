// How the comparison of two runs is worded.
#pragma once

#include <array>
#include <string>

#include "portatune/cli/run_setting.h"
#include "portatune/parity/run_comparison.h"

namespace portatune::cli {

/// A row for each step, one for each of the tensors that were furthest apart, and the verdict.
std::string table_of(const std::array<RunSetting, 2>& settings, const parity::RunComparison& comparison);
/// The same, with all tensors.
std::string json_of(const std::array<RunSetting, 2>& settings, const parity::RunComparison& comparison);

}  // namespace portatune::cli
