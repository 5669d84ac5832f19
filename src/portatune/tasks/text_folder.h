// The folder of a text model.
#pragma once

#include <filesystem>

#include "portatune/hub/model_folder.h"

namespace portatune::tasks {

/// Opens a folder, which may lack weights. A config.json without weights and without vocab_size gets the number of
/// tokens of the tokenizer.
/// errors  those of hub::ModelFolder::open_config() and text::Tokenizer::load()
hub::ModelFolder open_text_folder(const std::filesystem::path& path);

}  // namespace portatune::tasks
