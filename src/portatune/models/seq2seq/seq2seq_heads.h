// Heads that encoder-decoder models share.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// "classification_head" of x at the last eos token of each text: a dense layer of `hidden_size`, tanh, and "out_proj".
/// linear  options of both layers
Value classification_head(const nn::Scope& root, const HeadInputs& in, int64_t eos_token_id, double dropout,
                          const nn::LinearOptions& linear = {});

}  // namespace portatune::models
