// Layers that a model does not use. transformers makes and saves them, so they are kept as they are.
#pragma once

#include "portatune/nn.h"

namespace portatune::models {

/// Weight and bias of a linear layer.
void unused_linear(const nn::Scope& s, int64_t inputs, int64_t outputs, const nn::LinearOptions& options = {});
/// Weight and bias of a norm.
void unused_norm(const nn::Scope& s, int64_t size);

}  // namespace portatune::models
