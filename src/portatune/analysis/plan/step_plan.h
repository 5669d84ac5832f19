// Memory and work of a training step on a target.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "portatune/analysis/plan/compiler.h"
#include "portatune/analysis/plan/roofline.h"
#include "portatune/tasks.h"
#include "portatune/train/program/programs.h"

namespace portatune::plan {

/// Bytes on one device, by purpose.
struct Memory {
  int64_t parameters = 0;
  int64_t batch = 0;                          ///< includes the scalar arguments of a step
  int64_t layout = 0;                         ///< growth of these arrays by the compiler's layout: a TPU's tiles
  int64_t temporaries = 0;                    ///< activations, gradients, and results outside the memory of arguments
  int64_t code = 0;                           ///< 0: the plugin does not report it, as those of CPUs and GPUs
  std::map<std::string, int64_t> slots = {};  ///< of the optimizer, by their names

  int64_t optimizer() const;
  int64_t total() const { return parameters + optimizer() + batch + layout + temporaries + code; }
  bool has_code() const { return code > 0; }
};

/// Memory of programs that are loaded at once and run one after the other on the same parameters.
Memory together(const Memory& a, const Memory& b);

struct StepPlan {
  Memory memory;
  Work work;
  double compile_s = 0;
  std::optional<double> xla_flops, xla_bytes;  ///< as in Compiled
};

/// The part that is known without compiling: parameters, optimizer and batch.
Memory memory_of_arguments(const Task& task, const train::Signature& batch, const train::StepOptions& options);

/// Operations of matrix products that the model needs for a step on each device, by the type of their operands: without
/// recomputation, and independent of micro-batches.
std::map<DType, double> flops_of_step(const Task& task, const train::Signature& batch, train::StepOptions options);

/// Compiles the step that a Trainer would run for batches of this shape. Errors and `keep` are those of
/// Compiler::compile.
StepPlan plan_step(const Compiler& compiler, const Task& task, const train::Signature& batch,
                   const train::StepOptions& options, ProgramWriter* keep = nullptr);

/// Memory of the program of an evaluation, and its compilation time. Errors and `keep` are those of Compiler::compile.
struct EvaluationPlan {
  Memory memory;  ///< no optimizer
  double compile_s = 0;
};
EvaluationPlan plan_evaluation(const Compiler& compiler, const Task& task, const train::Signature& batch,
                               const train::StepOptions& options, ProgramWriter* keep = nullptr);

}  // namespace portatune::plan
