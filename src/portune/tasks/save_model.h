// The model folder that a task leaves behind.
#pragma once

#include <filesystem>
#include <span>

#include "portune/config_changes.h"
#include "portune/hub/model_folder.h"

namespace portune::tasks {

/// Config with the changes, companion files, weights as float32. `folder` exists.
/// from  the model that training started from
void save_model(const std::filesystem::path& folder, const hub::ModelFolder& from, ConfigChanges changes,
                std::span<const NamedTensorView> weights);

}  // namespace portune::tasks
