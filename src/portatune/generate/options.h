// Reading and checking of GenerationOptions.
#pragma once

#include "portatune/generation.h"

namespace portatune::io {
class JsonObject;
}

namespace portatune::generate {

/// Reads options from a JSON object with the keys of generation_config.json, on top of `defaults`. The `unknown` keys
/// of `defaults` stay.
/// errors  CheckpointError for a value of the wrong type
GenerationOptions read_options(const io::JsonObject& json, const GenerationOptions& defaults);

/// Checks the ranges of all options.
/// vocab_size  exclusive upper bound of token ids
/// errors      UsageError that names the option out of range
void check(const GenerationOptions& options, int64_t vocab_size);

}  // namespace portatune::generate
