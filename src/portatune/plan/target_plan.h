// A training run on one device of a target.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "portatune/plan/largest_batch.h"
#include "portatune/plan/step_plan.h"

namespace portatune::plan {

/// A shape that batches have, and how many of an epoch have it.
struct BatchShape {
  train::Signature batch;
  int64_t steps = 0;
};

/// The run, as a user asks for it.
struct Run {
  const Task& task;
  train::StepOptions step;
  int64_t batch_size = 0;
  std::vector<BatchShape> shapes;
  /// What they would be with another batch size, on another mesh; steps do not matter. UsageError where the run
  /// cannot have that mesh.
  std::function<std::vector<BatchShape>(int64_t batch_size, const Mesh& mesh)> shapes_with;
  /// Shapes of the batches that it is measured on then. Empty: it is not.
  std::function<std::vector<train::Signature>(int64_t batch_size, const Mesh& mesh)> evaluations_with = {};
  /// Called before each compilation with what is compiled: "the training step of 32 rows in float32". May be empty.
  std::function<void(const std::string& what)> on_compile = {};
};

struct ShapePlan {
  BatchShape shape;
  StepPlan step;
  Estimate time;
};

/// Options with which a run fits that does not as it is.
struct Remedy {
  DType dtype;
  Remat remat;
  Mesh mesh;
  int64_t batch_size;

  bool operator==(const Remedy&) const = default;
};

struct TargetPlan {
  /// What the compiler says where it refuses a step; the rest is empty then, but for what memory_of_arguments() knows
  /// of a run that is too large.
  std::string refusal;
  std::vector<ShapePlan> shapes;
  Memory memory;  ///< of all shapes together, and of evaluations
  double evaluation_compile_s = 0;
  bool fits = false;
  bool is_too_large = false;  ///< by its figures, or by what its compiler says
};

/// Compiles the steps of all shapes, and the evaluations.
/// keep  where the programs of the run are written to; null: nowhere
TargetPlan plan_target(const Compiler& compiler, const Run& run, ProgramWriter* keep = nullptr);

/// Options with which a run fits that is too large as it is: bfloat16, layers that are computed again, and weights
/// divided over all devices. Each is tried by itself; if none is enough, all together, with a smaller batch if need be.
/// A smaller batch alone is tried, too.
/// devices  of the target
std::vector<Remedy> remedies_for(const Compiler& compiler, const Run& run, int64_t devices = 1);

/// The largest batch of the run that fits, by the largest of its shapes.
/// plan  of the run, so that it need not be compiled again
LargestBatch largest_batch_of(const Compiler& compiler, const Run& run, const TargetPlan& plan);

}  // namespace portatune::plan
