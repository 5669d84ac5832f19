// Attention to what came before, with or without a cache of it.
#pragma once

#include <optional>

#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::models {

/// One pass through a decoder, as its layers see it.
struct DecoderPass {
  Value mask;                      ///< as attention() takes it; with a cache a bias
  KeyValueCache* cache = nullptr;  ///< null: keys and values are not kept
  Value start = {};                ///< where in the cache the tokens go; absent: at its beginning
};

DecoderPass decoder_pass(const TextInputs& in, KeyValueCache* cache = nullptr, const Value& start = {});

/// attention(q, k, v) of layer `layer`, of each token to itself and to those before it, at most the last `window`; to
/// those in the cache, where there is one with earlier tokens.
/// options    all but the band
/// s          whose random key decides on dropout, which there is in training alone
Value causal_attention(const nn::Scope& s, const DecoderPass& pass, int64_t layer, const Values& qkv,
                       AttentionOptions options, std::optional<int64_t> window = {});

KeyValueCache zero_cache(int64_t layers, const TensorType& type);

}  // namespace portatune::models
