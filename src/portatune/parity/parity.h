// Running a model on the inputs of a case, and comparing everything that transformers computed for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "portatune/device.h"
#include "portatune/parity/comparison.h"
#include "portatune/parity/reference_task.h"

namespace portatune::parity {

/// What Portatune computed, under the names of the case.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct ParityResult {
  std::vector<Comparison> comparisons;
  NamedTensors expected, grads, after5, generated;

  bool passed() const;
};

/// Outputs, loss, gradients, the parameters after optimizer steps and generated ids, as far as the case has them.
/// dtype   of activations and matrix products; of 16 bits, outputs and loss alone are compared
/// errors  CheckpointError for a case whose tensors do not fit its model, which names file and tensor, and for one with
///         nothing to compare
ParityResult check_parity(const Device& device, const ReferenceCase& reference, DType dtype);
/// With a task that is the case's in another way.
ParityResult check_parity(const Device& device, const ReferenceCase& reference, const ReferenceTask& task, DType dtype);

/// Writes what was computed as expected.safetensors, grads.safetensors, ... into a folder, which appears whole and
/// replaces what an earlier dump() has written.
/// errors  those of require_place_of_dump(); IoError
void dump(const ParityResult& result, const std::filesystem::path& folder);
/// That dump() may write there.
/// errors  UsageError if something else is in the folder, or it is the working folder
void require_place_of_dump(const std::filesystem::path& folder);

}  // namespace portatune::parity
