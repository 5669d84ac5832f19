// A training run for `portatune plan`, which compiles its programs for devices that need not be there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "portatune/analysis/plan/target_plan.h"
#include "portatune/run.h"

namespace portatune::run {

/// The programs of a run, and the facts that its plans report.
struct PlannedRun {
  /// The shapes of its batches. It owns the task and the rows, since a compiler may use them after its time limit.
  std::shared_ptr<const plan::Run> programs;
  int64_t batch_size = 0;
  DType dtype = DType::kFloat32;
  Remat remat = Remat::kNone;
  Mesh mesh = {};                          ///< the mesh of the run; each plan is for one device
  std::optional<int64_t> examples;         ///< none if there are no rows
  std::optional<int64_t> steps_per_epoch;  ///< none if that depends on rows, and there are none
};

/// Chooses the shapes of the batches as fit() does, and counts the steps of each. Without rows to train on, all
/// batches have one shape, which `events` receives.
/// errors  UsageError for options that a plan does not have, and without rows for options that depend on them;
///         DataError without examples; those of plan_run()
PlannedRun planned_run(const RunOptions& options, Events& events);

}  // namespace portatune::run
