// The weights of a model folder.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "portatune/io/pytorch/pytorch_file.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {

/// The open files with the weights of a model, all of one format.
class WeightFiles {
 public:
  /// Opens the first that exists of `model.safetensors`, the shards of `model.safetensors.index.json`,
  /// `pytorch_model.bin` and the shards of `pytorch_model.bin.index.json`, in the order of transformers.
  /// errors    CheckpointError if there are none, or if index and shards disagree
  static WeightFiles open(const std::filesystem::path& folder);
  /// Same as open(), but returns nothing if there are none.
  static std::optional<WeightFiles> find(const std::filesystem::path& folder);

  /// All tensors, valid while this object lives.
  std::vector<NamedTensorView> tensors() const;
  /// Checks that the files are still complete. Call it after reading tensors.
  /// errors    IoError that names the file that became shorter since it was opened
  void require_whole() const;

 private:
  std::vector<io::SafetensorsFile> safetensors_;
  std::vector<io::PytorchFile> pytorch_;
};

/// Returns whether WeightFiles would read Python pickles, because the folder has no safetensors.
bool has_only_pickles(const std::filesystem::path& folder);

}  // namespace portatune::hub
