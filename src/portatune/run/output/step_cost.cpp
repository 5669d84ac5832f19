#include "portatune/run/output/step_cost.h"

#include <algorithm>
#include <optional>
#include <string>

#include "portatune/analysis/plan/accelerators.h"
#include "portatune/analysis/plan/step_plan.h"
#include "portatune/device.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/train/options.h"
#include "portatune/train/program/batch_shapes.h"

namespace portatune::run {
namespace {

// The shapes of the run's batches. The rows are not shuffled, so that no more rows are read than a batch has.
std::vector<train::Signature> shapes_of(const RunPlan& plan, const data::Dataset& train) {
  const data::Dataset batches = interruptible(training_batches(*plan.task, train, plan, 1));
  const std::optional<data::Example> first = batches.iterate().next();
  return first ? train::BatchShapes(*plan.task, *first).all() : std::vector<train::Signature>();
}

// The accelerator with this kind of device, such as "NVIDIA H200"; null if it is unknown.
const plan::Accelerator* accelerator_of(const std::string& kind) {
  const auto is_of_kind = [&](const plan::Accelerator& accelerator) {
    return accelerator.gpu && (std::string(accelerator.gpu->name) + " ").starts_with(kind + " ");
  };
  const auto found = std::ranges::find_if(plan::accelerators(), is_of_kind);
  return found == plan::accelerators().end() ? nullptr : &*found;
}

}  // namespace

Json step_cost(const RunPlan& plan, const data::Dataset& train, const Device& device) {
  const train::StepOptions options = train::step_options(plan.training, plan.device.mesh);
  const std::vector<train::Signature> shapes = shapes_of(plan, train);
  if (shapes.empty()) return nullptr;
  double flops = 0;
  plan::Memory memory;
  for (const train::Signature& shape : shapes) {
    const plan::Work work = {.flops = plan::flops_of_step(*plan.task, shape, options)};
    flops = std::max(flops, work.all_flops());
    memory = plan::together(memory, plan::memory_of_arguments(*plan.task, shape, options));
  }
  Json cost = {{"parameters", memory.parameters},
               {"optimizer", memory.optimizer()},
               {"batch", memory.batch},
               {"flops", flops},
               {"shapes", shapes.size()}};
  if (const plan::Accelerator* accelerator = accelerator_of(device.facts().numerics.at("instruction set"))) {
    const bool is_float32 = plan.training.dtype == DType::kFloat32;
    cost["peak"] = {{"flops", is_float32 ? accelerator->peaks.float32 : accelerator->peaks.bfloat16},
                    {"device", accelerator->name}};
  }
  return cost;
}

}  // namespace portatune::run
