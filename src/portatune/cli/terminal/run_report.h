// The comparison of two runs as text and as JSON.
#pragma once

#include <array>
#include <string>

#include "portatune/cli/options/run_setting.h"
#include "portatune/parity/run_comparison.h"

namespace portatune::cli {

/// A table with a row for each step, a row for each of the tensors that differ most, and the verdict.
std::string table_of(const std::array<RunSetting, 2>& settings, const parity::RunComparison& comparison);
/// The same content as JSON, with all tensors.
std::string json_of(const std::array<RunSetting, 2>& settings, const parity::RunComparison& comparison);

}  // namespace portatune::cli
