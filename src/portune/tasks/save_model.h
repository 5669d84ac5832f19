// What a task leaves behind in a model folder, beside the weights.
#pragma once

#include <filesystem>

#include "portune/config_changes.h"
#include "portune/hub/model_folder.h"

namespace portune::tasks {

/// Config with the changes, for weights as float32, and companion files. `folder` exists.
/// from  the model that training started from
void save_model(const std::filesystem::path& folder, const hub::ModelFolder& from, ConfigChanges changes);

}  // namespace portune::tasks
