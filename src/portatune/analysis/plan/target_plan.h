// A training run on one device of a target.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "portatune/analysis/plan/largest_batch.h"
#include "portatune/analysis/plan/step_plan.h"

namespace portatune::plan {

/// A shape of batches, and the number of steps per epoch with it.
struct BatchShape {
  train::Signature batch;
  int64_t steps = 0;
};

/// The run, as the user describes it.
struct Run {
  const Task& task;
  train::StepOptions step;
  int64_t batch_size = 0;
  std::vector<BatchShape> shapes;
  /// Shapes with another batch size, on another mesh; their `steps` are not used. UsageError if the run cannot have
  /// that mesh.
  std::function<std::vector<BatchShape>(int64_t batch_size, const Mesh& mesh)> shapes_with;
  /// Shapes of the evaluation's batches for these. Empty: no evaluation.
  std::function<std::vector<train::Signature>(int64_t batch_size, const Mesh& mesh)> evaluations_with = {};
  /// Called before each compilation with the name of the program: "the training step of 32 rows in float32". May be
  /// empty.
  std::function<void(const std::string& what)> on_compile = {};
};

struct ShapePlan {
  BatchShape shape;
  StepPlan step;
  Estimate time;
};

/// Means over the steps of an epoch, in which each shape has its share.
struct MeanStep {
  double flops = 0, bytes = 0, sent_bytes = 0, seconds = 0, compute_s = 0, memory_s = 0, exchange_s = 0;
};
MeanStep mean_step(const std::vector<ShapePlan>& shapes);

/// Options that make a too large run fit.
struct Remedy {
  DType dtype;
  Remat remat;
  Mesh mesh;
  int64_t batch_size;

  bool operator==(const Remedy&) const = default;
};

struct TargetPlan {
  /// The compiler's message if it refuses a step. The rest is then empty, except the memory of memory_of_arguments()
  /// for a run that is too large.
  std::string refusal;
  std::vector<ShapePlan> shapes;
  Memory memory;  ///< memory of all shapes together, and of evaluations
  double evaluation_compile_s = 0;
  bool fits = false;
  bool is_too_large = false;  ///< whether the figures or the compiler show that memory is too small
};

/// Compiles the steps of all shapes, and the evaluations.
/// keep  writer of the run's programs; null: none
TargetPlan plan_target(const Compiler& compiler, const Run& run, ProgramWriter* keep = nullptr);

/// Options that make a too large run fit: bfloat16, gradient checkpointing, and weights sharded over
/// all devices. Each is tried alone; if none is enough, all together, with a smaller batch if necessary. A smaller
/// batch alone is tried, too.
/// devices  number of devices of the target
std::vector<Remedy> remedies_for(const Compiler& compiler, const Run& run, int64_t devices = 1);

/// The largest batch of the run that fits, measured by the largest of its shapes.
/// plan  plan of the run, which saves a compilation
LargestBatch largest_batch_of(const Compiler& compiler, const Run& run, const TargetPlan& plan);

}  // namespace portatune::plan
