// What a task leaves behind in a model folder, beside the weights.
#pragma once

#include <filesystem>

#include "portatune/config_changes.h"
#include "portatune/hub/model_folder.h"

namespace portatune::tasks {

/// Config with the changes, for weights as float32, and companion files. `folder` exists.
/// from  the model that training started from; of its folder nothing is read
void save_model(const std::filesystem::path& folder, const hub::ModelFolder& from, ConfigChanges changes);

}  // namespace portatune::tasks
