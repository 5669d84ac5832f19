// One training run: what fit() does once, and a cross-validation for each fold.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/run/inputs/split.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// The checkpoint that the run starts from: the one that was asked for, or the newest of an earlier run; empty: none.
/// errors  OutputError if the output folder holds another run
std::filesystem::path checkpoint_of(const RunOptions& a, Events& events);

/// Trains, and saves to plan.output. Nothing if the run was stopped on request.
std::optional<Outcome> train_model(const RunPlan& plan, const RowTask& task, const Split& rows, Events& events);

}  // namespace portatune::run
