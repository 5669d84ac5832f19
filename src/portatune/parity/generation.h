// What a model generates, against what transformers' generate() gave.
#pragma once

#include "portatune/parity/parity.h"

namespace portatune::parity {

/// Runs every entry of case.json's "generate" on its prompts; compares the ids, which must be equal, and returns them:
/// "<name>.output", int64 [prompts, tokens], prompts included.
/// errors  CheckpointError for an entry that draws tokens, which no two programs do alike, or that asks for what
///         Portatune lacks
NamedTensors check_generation(const Device& device, const ReferenceCase& reference,
                              std::vector<Comparison>& comparisons);

}  // namespace portatune::parity
