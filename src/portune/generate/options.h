// What GenerationOptions may be.
#pragma once

#include "portune/generation.h"

namespace portune::generate {

/// errors  UsageError naming the option that is out of range
/// vocab_size  which token ids must be below
void check(const GenerationOptions& options, int64_t vocab_size);

}  // namespace portune::generate
