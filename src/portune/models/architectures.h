// The architectures, one file each: what `model_type` of a config.json leads to in the registry.
#pragma once

#include <memory>

#include "portune/models.h"

namespace portune::models {

// CheckpointError for a value out of range and for a variant that is not built.

/// BERT. Devlin et al. 2018, arXiv:1810.04805
std::unique_ptr<TextModel> bert(const io::JsonObject& config);

}  // namespace portune::models
