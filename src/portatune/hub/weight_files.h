// The safetensors files of a model folder.
#pragma once

#include <filesystem>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {

/// Opens `model.safetensors`, or all shards of `model.safetensors.index.json`.
/// architecture  the model's class in transformers, for the advice on the conversion of other formats
/// errors        CheckpointError if there are no safetensors weights, or if index and shards disagree
std::vector<io::SafetensorsFile> open_weight_files(const std::filesystem::path& folder,
                                                   const std::string& architecture);

}  // namespace portatune::hub
