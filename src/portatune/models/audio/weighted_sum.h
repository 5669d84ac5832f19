// The sum of the states of all layers, by learned weights: "use_weighted_layer_sum" of config.json.
#pragma once

#include "portatune/nn.h"

namespace portatune::models {

/// The sum by the softmax of the parameter "layer_weights".
/// hidden_states  [batch, frames, hidden_size] each
Value weighted_sum(const nn::Scope& root, const Values& hidden_states);

}  // namespace portatune::models
