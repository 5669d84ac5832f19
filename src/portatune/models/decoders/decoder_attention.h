// Causal attention, with or without a cache of keys and values.
#pragma once

#include <optional>

#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::models {

/// The inputs of a decoder's layers in one pass.
struct DecoderPass {
  Value mask;                      ///< mask for attention(); with a cache, a bias
  KeyValueCache* cache = nullptr;  ///< cache to which keys and values are added; null: none
  Value start = {};                ///< index of the token in the cache; absent: 0
};

DecoderPass decoder_pass(const TextInputs& in, KeyValueCache* cache = nullptr, const Value& start = {});

/// Attention of the heads of layer `layer`: each token sees itself and earlier tokens, at most `window` in total, also
/// those in the cache.
/// heads      heads without a band
/// s          scope of the random key for dropout, which is active only in training
Value causal_attention(const nn::Scope& s, const DecoderPass& pass, int64_t layer, nn::HeadsOfDevice heads,
                       std::optional<int64_t> window = {});

KeyValueCache zero_cache(int64_t layers, const TensorType& type);

}  // namespace portatune::models
