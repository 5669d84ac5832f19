// The folder of a text model.
#pragma once

#include <filesystem>
#include <string>

#include "portatune/hub/model_folder.h"

namespace portatune::tasks {

/// Opens a folder, which may lack weights. A config.json without weights and without vocab_size gets the number of
/// tokens of the tokenizer.
/// errors  those of hub::ModelFolder::open_config() and text::Tokenizer::load()
hub::ModelFolder open_text_folder(const ModelSource& model);

/// Throws a CheckpointError if a tokenizer of so many tokens needs more rows than the embedding has.
/// tokenizer  its name: "a tokenizer"
void require_embeddings(const std::filesystem::path& folder, const std::string& tokenizer, int64_t tokens,
                        int64_t rows);

}  // namespace portatune::tasks
