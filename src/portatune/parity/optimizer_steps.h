// AdamW steps on the inputs of a case, and what they start from.
#pragma once

#include "portatune/parity/parity.h"
#include "portatune/parity/reference_task.h"
#include "portatune/train/programs.h"

namespace portatune::parity {

train::Signature signature_of(const ReferenceTask& task, const ReferenceCase& reference);

/// The checkpoint's weights, then the inputs: what the programs of train/ take first.
std::vector<Tensor> start_of(const ReferenceTask& task, const ReferenceCase& reference,
                             std::span<const nn::Parameter> parameters);

std::vector<DeviceArray> put_all(const Device& device, const std::vector<Tensor>& tensors);

/// The parameters after the steps that case.json asks for: without dropout, schedule and clipping, all parameters
/// decayed. Adds the comparison of the losses on the way.
NamedTensors optimizer_steps(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                             std::vector<Comparison>& comparisons);

}  // namespace portatune::parity
