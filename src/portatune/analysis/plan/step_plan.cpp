#include "portatune/analysis/plan/step_plan.h"

#include <algorithm>
#include <span>

#include "portatune/data.h"
#include "portatune/graph/exchange.h"
#include "portatune/graph/matrix_flops.h"
#include "portatune/nn/program_parameters.h"

namespace portatune::plan {
namespace {

int64_t bytes_of(std::span<const Value> values) {
  int64_t bytes = 0;
  for (const Value& value : values) bytes += value.type().bytes();
  return bytes;
}

// The arguments' memory.
Memory memory_of_inputs(const train::StepProgram& step) {
  const train::StepLayout& layout = step.layout;
  const auto bytes = [&](size_t argument) { return step.function.parameters[argument].type().bytes(); };
  Memory memory;
  for (size_t i = 0; i < layout.weights(); ++i) memory.parameters += bytes(layout.weight(i));
  for (size_t i = 0; i < layout.slots().size(); ++i) memory.slots[layout.slots()[i].name] += bytes(layout.slot(i));
  memory.batch = bytes_of(step.function.parameters) - memory.total();
  return memory;
}

Memory memory_of_inputs(const train::EvaluationProgram& evaluation) {
  const std::span<const Value> values = evaluation.function.parameters;
  const size_t weights = nn::arguments_of(evaluation.parameters).size();
  return {.parameters = bytes_of(values.first(weights)), .batch = bytes_of(values.subspan(weights))};
}

// The memory of a compiled program with these arguments.
Memory memory_of(Memory arguments, const pjrt::MemoryStats& stats) {
  Memory memory = arguments;
  memory.layout = std::max<int64_t>(0, stats.arguments - arguments.total());
  memory.temporaries = stats.temporary + stats.results - stats.aliased;
  memory.code = stats.code;
  return memory;
}

// The step that computes all micro-batches of a device at once. The parts of a packed batch that belong to one device
// become one part.
train::StepProgram step_at_once(const Task& task, train::Signature batch, train::StepOptions options) {
  for (auto& [name, type] : batch) {
    if (!name.ends_with(data::kTokenPlaces) || type.shape.rank() != 3) continue;  // [parts, texts, length]
    type.shape[0] /= options.gradient_accumulation_steps;
    type.shape[1] *= options.gradient_accumulation_steps;
  }
  options.gradient_accumulation_steps = 1;
  return train::step_program(task, batch, options);
}

// Bytes that a device sends in a step. Each micro-batch gathers again.
double sent_bytes(const Task& task, const train::Signature& batch, const train::StepOptions& options) {
  if (options.mesh.devices() == 1) return 0;
  const auto rounds = static_cast<double>(options.gradient_accumulation_steps);
  const Exchange exchange = exchange_of(step_at_once(task, batch, options).function);
  return rounds * exchange.parts + exchange.sums;
}

}  // namespace

int64_t Memory::optimizer() const {
  int64_t bytes = 0;
  for (const auto& [name, of_slot] : slots) bytes += of_slot;
  return bytes;
}

Memory together(const Memory& a, const Memory& b) {
  return {.parameters = std::max(a.parameters, b.parameters),
          .batch = std::max(a.batch, b.batch),
          .layout = std::max(a.layout, b.layout),
          .temporaries = std::max(a.temporaries, b.temporaries),
          .code = a.code + b.code,
          .slots = a.slots.empty() ? b.slots : a.slots};
}

Memory memory_of_arguments(const Task& task, const train::Signature& batch, const train::StepOptions& options) {
  return memory_of_inputs(train::step_program(task, batch, options));
}

std::map<DType, double> flops_of_step(const Task& task, const train::Signature& batch, train::StepOptions options) {
  options.remat = Remat::kNone;
  return matrix_flops(step_at_once(task, batch, options).function);
}

StepPlan plan_step(const Compiler& compiler, const Task& task, const train::Signature& batch,
                   const train::StepOptions& options, ProgramWriter* keep) {
  const train::StepProgram step = train::step_program(task, batch, options);
  const Compiled compiled = compiler.compile(step.function, keep);
  return {.memory = memory_of(memory_of_inputs(step), compiled.memory),
          .work = {.flops = flops_of_step(task, batch, options),
                   .bytes = compiled.traffic,
                   .sent_bytes = sent_bytes(task, batch, options)},
          .compile_s = compiled.seconds,
          .xla_flops = compiled.xla_flops,
          .xla_bytes = compiled.xla_bytes};
}

EvaluationPlan plan_evaluation(const Compiler& compiler, const Task& task, const train::Signature& batch,
                               const train::StepOptions& options, ProgramWriter* keep) {
  const auto program = train::evaluation_program(task, batch, options);
  const Compiled compiled = compiler.compile(program.function, keep);
  return {memory_of(memory_of_inputs(program), compiled.memory), compiled.seconds};
}

}  // namespace portatune::plan
