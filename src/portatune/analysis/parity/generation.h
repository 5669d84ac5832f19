// Comparison of generated tokens with those of transformers' generate().
#pragma once

#include "portatune/analysis/parity/parity.h"

namespace portatune::parity {

/// Runs every entry of case.json's "generate" on its prompts. Compares the ids, which must be equal, and returns them:
/// "<name>.output", int64 [prompts, tokens], prompts included.
/// errors  CheckpointError for an entry with sampling, which differs between programs, or with options that Portatune
///         lacks
NamedTensors check_generation(const Device& device, const ReferenceCase& reference,
                              std::vector<Comparison>& comparisons);

}  // namespace portatune::parity
