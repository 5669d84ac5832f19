// The weights of a model folder.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "portatune/io/pytorch/pytorch_file.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {

/// A format of weights: one file, or shards that an index lists.
struct WeightFormat {
  std::string file, index;  ///< names in a model folder
  std::string suffix;       ///< ending of the names of shards
};

/// The format of a stem of safetensors: "model", "adapter_model".
WeightFormat safetensors_of(const std::string& stem);

/// The formats of a model's weights, in the order of transformers: the first that exists counts.
const std::array<WeightFormat, 2>& weight_formats();

/// The open files with the weights of a model, all of one format.
class WeightFiles {
 public:
  /// Opens the file, or else the shards, of the first of the weight_formats() that exists; nothing if there is none.
  /// errors    CheckpointError if index and shards disagree
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

/// Throws a CheckpointError for a folder without weights, which names those of other formats.
[[noreturn]] void throw_no_weights(const std::filesystem::path& folder);

/// Returns whether WeightFiles would read Python pickles, because the folder has no safetensors.
bool has_only_pickles(const std::filesystem::path& folder);

}  // namespace portatune::hub
