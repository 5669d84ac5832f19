// A new folder for a model that was made from another one without training.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "portatune/hub/model_folder.h"

namespace portatune::hub {

/// Writes a folder with changed weights, a config.json and the companion files of `model`. It appears complete or not
/// at all.
/// output         a new or empty folder
/// others         names of further files in the folder of `model` to copy, if there are any
/// write_weights  writes the file with this path
/// errors         UsageError for `output`; IoError
void write_changed_model(const ModelFolder& model, const std::filesystem::path& output, const std::string& config_text,
                         const std::vector<std::string>& others,
                         const std::function<void(const std::filesystem::path&)>& write_weights);

}  // namespace portatune::hub
