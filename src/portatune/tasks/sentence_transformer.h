// The files that sentence-transformers adds to a model folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "portatune/tasks/feature_extraction.h"

namespace portatune::tasks {

/// How a folder makes embeddings. Nothing is set for a folder without modules.json.
struct SentenceTransformer {
  std::optional<Pooling> pooling;
  std::optional<bool> normalize;
  std::optional<int64_t> max_length;
  std::string prompt;  ///< text before every text
};

/// errors  CheckpointError for modules and settings that change embeddings in a way that Portatune lacks
SentenceTransformer read_sentence_transformer(const std::filesystem::path& folder);

}  // namespace portatune::tasks
