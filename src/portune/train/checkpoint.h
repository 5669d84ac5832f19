// What a run needs to go on, besides the model: optimizer state and position.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portune/tensor.h"
#include "portune/train/progress.h"
#include "portune/train/run_facts.h"

namespace portune::train {

/// A mean of losses that is gathered batch by batch, each weighted by its examples.
struct MeanLoss {
  double sum = 0, weight = 0;

  void add(double loss, double examples) {
    sum += loss * examples;
    weight += examples;
  }
  double mean() const { return sum / weight; }
};

/// Where a run stands, and which run it is.
struct Position {
  int64_t step = 0;         ///< steps made
  int64_t total_steps = 0;  ///< after which the learning rate is 0; 0: it does not fall
  MeanLoss epoch_loss;      ///< of the epoch under way; empty once its end has been told
  Progress progress;
  RunFacts run;
  std::string data;  ///< data::Cursor::state() of the batches after the last step; empty: not known
};

/// Add files to a model folder that is being written: trainer_state.json and, where the data's state is known,
/// data_state.json; optimizer.safetensors.
/// moments  first and second moments under "m.<parameter>" and "v.<parameter>"
void write_position(const std::filesystem::path& folder, const Position& position);
void write_moments(const std::filesystem::path& folder, std::span<const NamedTensorView> moments);

/// The file without which a folder is no checkpoint.
std::filesystem::path position_file(const std::filesystem::path& folder);

/// errors  NotFoundError if the folder is a model without a training state; CheckpointError if the state makes no sense
Position read_position(const std::filesystem::path& folder);

struct Moments {
  std::vector<Tensor> m, v;  ///< in the order of the parameters
};
/// errors  NotFoundError if there are none; CheckpointError if they are not those of these parameters
Moments read_moments(const std::filesystem::path& folder, std::span<const std::string> parameters,
                     std::span<const TensorType> types);

}  // namespace portune::train
