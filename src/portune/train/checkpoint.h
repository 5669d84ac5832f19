// What a run needs to go on, besides the model: optimizer state and position.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portune/tensor.h"
#include "portune/train/run_facts.h"

namespace portune::train {

/// Where a run stands, and which run it is.
struct Position {
  int64_t step = 0;         ///< steps made
  int64_t total_steps = 0;  ///< after which the learning rate is 0; 0: it does not fall
  RunFacts run;
};

/// Adds optimizer.safetensors and trainer_state.json to a model folder that is being written.
/// moments  first and second moments under "m.<parameter>" and "v.<parameter>"
void write_state(const std::filesystem::path& folder, std::span<const NamedTensorView> moments,
                 const Position& position);

/// errors  NotFoundError if the folder is a model without a training state; CheckpointError if the state makes no sense
Position read_position(const std::filesystem::path& folder);

struct Moments {
  std::vector<Tensor> m, v;  ///< in the order of the parameters
};
/// errors  NotFoundError if there are none; CheckpointError if they are not those of these parameters
Moments read_moments(const std::filesystem::path& folder, std::span<const std::string> parameters,
                     std::span<const TensorType> types);

}  // namespace portune::train
