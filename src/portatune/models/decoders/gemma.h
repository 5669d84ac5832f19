// What the versions of Gemma share.
#pragma once

#include "portatune/models/decoders/llama_family.h"

namespace portatune::models {

/// The fields of config.json that they share, besides those of Llama.
struct GemmaConfig : LlamaFamilyConfig {
  nn::LinearOptions attention{.bias = false};
};

/// Reads these fields. The norms have a unit offset, and the words the factor sqrt(hidden_size). CheckpointError for
/// attention in both directions.
GemmaConfig gemma_config(const ConfigReader& config, LlamaFamilyConfig defaults);

}  // namespace portatune::models
