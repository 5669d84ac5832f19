// The comparison of a training run with itself on another setting: `portatune parity --against`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "portatune/analysis/parity/run_comparison.h"
#include "portatune/run.h"
#include "portatune/run/probes/run_setting.h"

namespace portatune::run {

struct ComparisonOptions {
  RunOptions run;                  ///< the first of the two runs; nothing of it is written
  std::string against;             ///< the settings in which the second run differs: see changed()
  int64_t steps = 20;              ///< number of steps, at most those of the run
  int64_t every = 1;               ///< steps between comparisons of gradients and parameters
  std::optional<DType> tolerance;  ///< type whose tolerance applies; none: the coarser of the two types
};

struct ComparedRuns {
  std::array<RunSetting, 2> settings;
  parity::RunComparison comparison;
};

/// Makes the same steps with both settings and measures their distance: see parity::compare_runs(). Both runs divide
/// the same rows into the same number of parts.
/// callback  observes the programs of both runs and the steps of the first; null: none
/// errors    UsageError for a setting that is none, and for rows that the devices of both runs cannot share equally;
///           those of fit()
ComparedRuns compare_runs(const ComparisonOptions& options, Events& events, Callback* callback = nullptr);

}  // namespace portatune::run
