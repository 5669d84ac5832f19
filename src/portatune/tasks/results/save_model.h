// Files of a saved model beside the weights.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/hub.h"
#include "portatune/hub/model_folder.h"

namespace portatune::tasks {

/// Writes the config with the changes, for weights as float32, and companion files. `folder` exists.
/// from  the pretrained model, already in memory: its folder is not read
void save_model(const std::filesystem::path& folder, const hub::ModelFolder& from, ConfigChanges changes);

}  // namespace portatune::tasks
