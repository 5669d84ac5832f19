// What a model generates, against what transformers' generate() gave.
#pragma once

#include "portune/parity/parity.h"

namespace portune::parity {

/// Runs every entry of case.json's "generate" on its prompts; compares the ids, which must be equal, and returns them:
/// "<name>.output", int64 [prompts, tokens], prompts included.
/// errors  CheckpointError for an entry that draws tokens, which no two programs do alike, or that asks for what
///         Portune lacks
NamedTensors check_generation(const Device& device, const ReferenceCase& reference,
                              std::vector<Comparison>& comparisons);

}  // namespace portune::parity
