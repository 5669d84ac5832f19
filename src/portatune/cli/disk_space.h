// Checks before training that the saves of a run fit on the disk.
#pragma once

#include <cstdint>
#include <filesystem>

namespace portatune::cli {

/// What a run writes to its output folder beside what is there.
struct SavesOfRun {
  int64_t weights_bytes = 0;  ///< of the model; a checkpoint has three times that, with the optimizer's moments
  int64_t checkpoints = 0;    ///< checkpoints that are written
  int64_t kept = 0;           ///< checkpoints that are kept at a time
  int64_t present = 0;        ///< checkpoints that are there before, and that newer ones replace
};

/// The most bytes that these take at a time, beside what is there before. An older model or checkpoint is removed only
/// when the newer one is whole.
int64_t most_bytes(const SavesOfRun& saves);

/// Of the weights in a model folder, as they are saved: as float32. 0 where the folder has no safetensors.
/// errors  those of io::open_tensor_files
int64_t bytes_of_weights(const std::filesystem::path& model);

/// errors  IoError if the disk of the folder, which need not be there yet, has less free space
void require_disk_space(const std::filesystem::path& output, const SavesOfRun& saves);

}  // namespace portatune::cli
