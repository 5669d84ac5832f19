// The first values of a model's parameters, and how they match its checkpoint.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// Match between the parameters of a model and a checkpoint.
struct LoadReport {
  std::vector<std::string> missing;        ///< parameters that start from their initializer
  std::vector<std::string> unexpected;     ///< tensors without a parameter
  std::vector<std::string> replaced = {};  ///< names in `missing` whose tensor in the checkpoint has another shape
  /// Names in `missing` that belong to the body of a pretrained model. Its pooler is not among them: checkpoints of
  /// language models have none.
  std::vector<std::string> body = {};
  std::filesystem::path folder = {};  ///< folder of the checkpoint; empty: there is none
};

/// Parameters that may start from their initializer because the checkpoint lacks them.
enum class NewWeights {
  kNone,  ///< no parameters, as for a model that is not trained any more
  kHead,  ///< parameters of a head or a pooler
  kAny
};

/// Values for a list of parameters, in its order.
struct InitialWeights {
  std::vector<Tensor> values;
  LoadReport report;
};

}  // namespace portatune
