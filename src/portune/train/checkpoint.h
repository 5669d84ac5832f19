// What a run needs to go on, besides the model: optimizer state and position.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portune/tensor.h"

namespace portune::train {

/// Adds optimizer.safetensors and trainer_state.json to a model folder that is being written.
/// moments  first and second moments under "m.<parameter>" and "v.<parameter>"
void write_state(const std::filesystem::path& folder, std::span<const NamedTensorView> moments, int64_t step);

struct SavedState {
  std::vector<Tensor> m, v;  ///< in the order of the parameters
  int64_t step;
};
/// errors  NotFoundError if the folder is a model without a training state; CheckpointError if the state is not that of
///         these parameters
SavedState read_state(const std::filesystem::path& folder, std::span<const std::string> parameters,
                      std::span<const TensorType> types);

/// The step at which the checkpoint was saved.
int64_t read_step(const std::filesystem::path& folder);

}  // namespace portune::train
