// AdamW steps on the inputs of a case, and their initial values.
#pragma once

#include <array>

#include "portatune/analysis/parity/parity.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/train/program/programs.h"

namespace portatune::parity {

train::Signature signature_of(const ReferenceTask& task, const ReferenceCase& reference);

/// The checkpoint's weights, then the inputs: the first arguments of an evaluation program.
std::vector<Tensor> start_of(const ReferenceTask& task, const ReferenceCase& reference,
                             std::span<const nn::Parameter> parameters);

/// The arguments of the first step in float32, on the inputs of the case.
std::vector<Tensor> start_of_step(const train::StepProgram& step, const ReferenceTask& task,
                                  const ReferenceCase& reference, float learning_rate,
                                  const std::array<uint32_t, 2>& random_key = {});

std::vector<DeviceArray> put_all(const Device& device, const std::vector<Tensor>& tensors);

/// The parameters after the steps of case.json: without dropout, schedule and clipping, and with weight decay for all
/// parameters. Adds the comparison of the losses.
NamedTensors optimizer_steps(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                             std::vector<Comparison>& comparisons);

}  // namespace portatune::parity
