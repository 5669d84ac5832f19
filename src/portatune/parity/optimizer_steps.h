// AdamW steps on the inputs of a case, and their initial values.
#pragma once

#include "portatune/parity/parity.h"
#include "portatune/parity/reference_task.h"
#include "portatune/train/programs.h"

namespace portatune::parity {

train::Signature signature_of(const ReferenceTask& task, const ReferenceCase& reference);

/// The checkpoint's weights, then the inputs: the first arguments of the programs of train/.
std::vector<Tensor> start_of(const ReferenceTask& task, const ReferenceCase& reference,
                             std::span<const nn::Parameter> parameters);

std::vector<DeviceArray> put_all(const Device& device, const std::vector<Tensor>& tensors);

/// The parameters after the steps of case.json: without dropout, schedule and clipping, and with weight decay for all
/// parameters. Adds the comparison of the losses.
NamedTensors optimizer_steps(const Device& device, const ReferenceCase& reference, const ReferenceTask& task,
                             std::vector<Comparison>& comparisons);

}  // namespace portatune::parity
