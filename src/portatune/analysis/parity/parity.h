// Comparison of everything that transformers computed for a case with Portatune's results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "portatune/analysis/parity/comparison.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/device.h"

namespace portatune::parity {

/// Results of Portatune, under the names of the case.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct ParityResult {
  std::vector<Comparison> comparisons;
  NamedTensors expected, grads, after5, generated;

  bool passed() const;
};

/// Compares outputs, loss, gradients, the parameters after optimizer steps and generated ids, if the case has them.
/// dtype   type of activations and matrix products; with 16 bits only outputs and loss are compared
/// errors  CheckpointError for a case whose tensors do not fit its model, which names file and tensor, and for a case
///         without tensors to compare
ParityResult check_parity(const Device& device, const ReferenceCase& reference, DType dtype);
/// Uses a task that computes the case's results in another way. Generated ids are not compared, because generation uses
/// the model of the case.
ParityResult check_parity(const Device& device, const ReferenceCase& reference, const ReferenceTask& task, DType dtype);

/// The comparisons as a line of JSON.
std::string json_of(const ParityResult& result, const ReferenceCase& reference, DType dtype);

/// Writes the results as expected.safetensors, grads.safetensors, ... into a folder, which appears atomically and
/// replaces that of an earlier dump().
/// errors  those of require_place_of_dump(); IoError
void dump(const ParityResult& result, const std::filesystem::path& folder);
/// Throws unless dump() may write to `folder`.
/// errors  UsageError if something else is in the folder, or it is the working folder
void require_place_of_dump(const std::filesystem::path& folder);

}  // namespace portatune::parity
