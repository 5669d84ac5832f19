// The texts that an evaluation generates, as outputs of its forward pass.
#pragma once

#include "portatune/generate/generated_tokens.h"
#include "portatune/tasks.h"

namespace portatune::tasks {

/// Adds the outputs kGeneratedTokens and kGeneratedLogits.
/// weights  of the examples, float32 [batch]
void add_generated(const generate::GeneratedTokens& texts, const Value& weights, Forward& forward);

}  // namespace portatune::tasks
