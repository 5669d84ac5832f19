#include "portune/plan/target_plan.h"

#include <algorithm>

#include "portune/pjrt/call_error.h"

namespace portune::plan {
namespace {

constexpr int64_t kLargestBatch = 1'000'000;  // as --batch-size has it
constexpr int kCompilations = 12;             // for the largest batch
constexpr int kCompilationsForRemedy = 6;     // from half a batch down to a 64th

int64_t bytes_of(const BatchShape& shape) {
  int64_t bytes = 0;
  for (const auto& [name, type] : shape.batch) bytes += type.bytes();
  return bytes;
}

// Whose step needs the most memory.
const BatchShape& largest(const std::vector<BatchShape>& shapes) {
  return *std::ranges::max_element(shapes, {}, bytes_of);
}

MemoryOfBatch memory_of_batch(const Compiler& compiler, const Run& run, const train::StepOptions& options) {
  return [&compiler, &run, options](int64_t size) -> std::optional<int64_t> {
    try {
      return plan_step(compiler, run.task, largest(run.shapes_with(size)).batch, options).memory.total();
    } catch (const pjrt::CallError& error) {
      if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) throw;
      return {};
    }
  };
}

std::optional<int64_t> smaller_batch(const Compiler& compiler, const Run& run, const train::StepOptions& options) {
  if (run.batch_size < 2) return {};
  const LargestBatch found = largest_batch(memory_of_batch(compiler, run, options), compiler.memory_bytes(),
                                           run.batch_size / 2, run.batch_size - 1, kCompilationsForRemedy);
  return found.fits > 0 ? std::optional(found.fits) : std::nullopt;
}

// Parameters and moments, which no other option makes smaller.
int64_t state_bytes(const Run& run) {
  int64_t bytes = 0;
  for (const nn::Parameter& parameter : train::step_program(run.task, run.shapes.front().batch, run.step).parameters) {
    bytes += 3 * parameter.input.type().bytes();
  }
  return bytes;
}

std::vector<Remedy> remedies(const Compiler& compiler, const Run& run) {
  std::vector<Remedy> found;
  if (state_bytes(run) > compiler.memory_bytes()) return found;
  const auto add_smaller_batch = [&](const train::StepOptions& options) {
    const std::optional<int64_t> size = smaller_batch(compiler, run, options);
    if (size) found.push_back({options.compute_dtype, *size});
  };
  if (run.step.compute_dtype != DType::kBFloat16) {
    train::StepOptions bfloat16 = run.step;
    bfloat16.compute_dtype = DType::kBFloat16;
    const std::optional<int64_t> memory = memory_of_batch(compiler, run, bfloat16)(run.batch_size);
    if (memory && *memory <= compiler.memory_bytes()) {
      found.push_back({DType::kBFloat16, run.batch_size});
    } else {
      add_smaller_batch(bfloat16);
    }
  }
  add_smaller_batch(run.step);
  return found;
}

}  // namespace

TargetPlan plan_target(const Compiler& compiler, const Run& run) {
  TargetPlan plan;
  try {
    for (const BatchShape& shape : run.shapes) {
      const StepPlan step = plan_step(compiler, run.task, shape.batch, run.step);
      plan.shapes.push_back({shape, step, roofline(step.work, compiler.peaks())});
      plan.memory = together(plan.memory, step.memory);
    }
    plan.fits = plan.memory.total() <= compiler.memory_bytes();
  } catch (const pjrt::CallError& error) {
    plan = TargetPlan();
    plan.refusal = error.report().where;
    if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) return plan;
  }
  plan.is_too_large = !plan.fits;
  if (plan.is_too_large) plan.remedies = remedies(compiler, run);
  return plan;
}

LargestBatch largest_batch_of(const Compiler& compiler, const Run& run, const TargetPlan& plan) {
  const MemoryOfBatch compile = memory_of_batch(compiler, run, run.step);
  const auto memory = [&](int64_t size) -> std::optional<int64_t> {
    if (size != run.batch_size) return compile(size);
    if (plan.shapes.empty()) return {};
    const auto largest =
        std::ranges::max_element(plan.shapes, {}, [](const ShapePlan& shape) { return bytes_of(shape.shape); });
    return largest->step.memory.total();
  };
  return largest_batch(memory, compiler.memory_bytes(), run.batch_size, kLargestBatch, kCompilations);
}

}  // namespace portune::plan
