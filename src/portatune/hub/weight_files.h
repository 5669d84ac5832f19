// Which safetensors files of a model folder hold its weights.
#pragma once

#include <filesystem>
#include <vector>

#include "portatune/io/safetensors/safetensors.h"

namespace portatune::hub {

/// Opens `model.safetensors`, or all shards of `model.safetensors.index.json`.
/// architecture  the model's class in transformers, for the advice on how to convert other weights
/// errors        CheckpointError if there are no safetensors weights, or index and shards disagree
std::vector<io::SafetensorsFile> open_weight_files(const std::filesystem::path& folder,
                                                   const std::string& architecture);

}  // namespace portatune::hub
