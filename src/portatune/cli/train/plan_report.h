// Plans as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/plan/target_plan.h"

namespace portatune::cli {

/// The plan for one target.
struct PlannedTarget {
  plan::Target target;
  std::string unavailable = {};  ///< reason why nothing can be compiled for it here; the rest is empty then
  int64_t memory_bytes = 0;
  plan::Peaks peaks;
  plan::TargetPlan outcome;
  std::vector<plan::Remedy> remedies = {};          ///< remedies for a run that is too large
  std::string not_saved = {};                       ///< reason why --save keeps nothing; else empty
  std::optional<plan::LargestBatch> largest_batch;  ///< none if it was not searched for
  std::string slow = {};                            ///< step that the time limit has ended; else empty
};

struct PlannedRun {
  int64_t batch_size = 0;
  DType dtype = DType::kFloat32;
  Remat remat = Remat::kNone;
  Mesh mesh = {};  ///< the mesh of the run; each plan is for one device
  std::optional<int64_t> examples = {};         ///< none if there are no rows
  std::optional<int64_t> steps_per_epoch = {};  ///< none if that depends on rows, and there are none
  std::vector<PlannedTarget> targets = {};
};

/// Returns whether a step has been compiled for the target.
bool has_figures(const PlannedTarget& target);

/// Means over the steps of an epoch, in which each shape has its share.
struct MeanStep {
  double flops = 0, bytes = 0, sent_bytes = 0, seconds = 0, compute_s = 0, memory_s = 0, exchange_s = 0;
};
MeanStep mean_step(const std::vector<plan::ShapePlan>& shapes);

/// Tables of memory and of time with a row for each target, then remarks.
std::string table_of(const PlannedRun& run);
std::string json_of(const PlannedRun& run);

}  // namespace portatune::cli
