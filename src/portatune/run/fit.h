// A training run, which fit() makes once, and a cross-validation for each fold.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/run/inputs/split.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// The checkpoint that the run starts from: the one that was asked for, or the newest of an earlier run; empty: none.
/// errors  OutputError if the output folder holds another run
std::filesystem::path checkpoint_of(const RunOptions& a, Events& events);

/// Trains a model and saves it to plan.output. Returns nothing if the run was stopped on request.
std::optional<Outcome> train_model(const RunPlan& plan, const RowTask& task, const Split& rows, Events& events);

}  // namespace portatune::run
