// Checks before training that the saves of a run fit on the disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "portatune/train/optim/optimizer.h"

namespace portatune::run {

/// The saves of a run in its output folder, beside the files that are there.
struct SavesOfRun {
  int64_t weights_bytes = 0;  ///< size of the model
  int64_t slots_bytes = 0;    ///< size of the optimizer's slots, which a checkpoint has besides the model
  int64_t checkpoints = 0;    ///< number of checkpoints that are written
  int64_t kept = 0;           ///< number of checkpoints that are kept at a time
  int64_t present = 0;        ///< number of older checkpoints, which newer ones replace
  int64_t average_bytes = 0;  ///< size of the model with averaged weights, if there is one
};

/// Maximum of the bytes that these saves add at a time. An older model or checkpoint is removed only when the newer one
/// is complete.
int64_t most_bytes(const SavesOfRun& saves);

/// Size of the weights in a model folder when saved as float32; 0 if the folder has no weights.
/// errors  those of hub::WeightFiles::find
int64_t bytes_of_weights(const std::filesystem::path& model);

/// Size of the slots that an optimizer keeps for these weights.
/// errors  those of io::open_tensor_files
int64_t bytes_of_slots(const std::filesystem::path& model, const optim::Optimizer& optimizer,
                       const std::vector<std::string>& frozen = {});

/// errors  IoError if the disk of the folder has less free space; the folder need not exist yet
void require_disk_space(const std::filesystem::path& output, const SavesOfRun& saves);

}  // namespace portatune::run
