// What GenerationOptions may be.
#pragma once

#include "portatune/generation.h"

namespace portatune::io {
class JsonObject;
}

namespace portatune::generate {

/// Options from a JSON object with the keys of generation_config.json, over `defaults`, whose `unknown` keys stay.
/// errors  CheckpointError for a value of the wrong type
GenerationOptions read_options(const io::JsonObject& json, const GenerationOptions& defaults);

/// errors  UsageError naming the option that is out of range
/// vocab_size  which token ids must be below
void check(const GenerationOptions& options, int64_t vocab_size);

}  // namespace portatune::generate
