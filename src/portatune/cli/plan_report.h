// How plans are worded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/plan/target_plan.h"

namespace portatune::cli {

/// What came out for one target.
struct PlannedTarget {
  plan::Target target;
  std::string unavailable = {};  ///< why nothing can be compiled for it here; the rest is empty then
  int64_t memory_bytes = 0;
  plan::Peaks peaks;
  plan::TargetPlan outcome;
  std::vector<plan::Remedy> remedies = {};          ///< of a run that is too large
  std::string not_saved = {};                       ///< why --save keeps nothing; empty if it does, or is not asked for
  std::optional<plan::LargestBatch> largest_batch;  ///< if it was looked for
  std::string slow = {};                            ///< what the time limit has ended; empty if nothing
};

struct PlannedRun {
  int64_t batch_size = 0;
  DType dtype = DType::kFloat32;
  Remat remat = Remat::kNone;
  Mesh mesh = {};  ///< whose devices the plans are of, one each
  std::optional<int64_t> examples = {};         ///< none if there are no rows
  std::optional<int64_t> steps_per_epoch = {};  ///< none if that depends on rows, and there are none
  std::vector<PlannedTarget> targets = {};
};

/// Whether a step has been compiled for the target.
bool has_figures(const PlannedTarget& target);

/// Of one step, as the shapes have their share of an epoch.
struct MeanStep {
  double flops = 0, bytes = 0, sent_bytes = 0, seconds = 0, compute_s = 0, memory_s = 0, exchange_s = 0;
};
MeanStep mean_step(const std::vector<plan::ShapePlan>& shapes);

/// A row for each target, for memory and for time, and what else is to be said.
std::string table_of(const PlannedRun& run);
std::string json_of(const PlannedRun& run);

}  // namespace portatune::cli
