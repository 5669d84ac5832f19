// Attention of a decoder to the source texts.
#pragma once

#include <functional>

#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::models {

/// The source texts for the layers of a decoder: their states or, while tokens are generated, keys and values.
struct CrossPass {
  Value mask;                            ///< bias for attention()
  Value x = {};                          ///< EncodedSource::x; absent: there is a cache
  const KeyValueCache* cache = nullptr;  ///< CrossCache::layers; null: there is x
};

/// The pass over whole targets. Packed targets see the source with the number of their segment.
CrossPass cross_pass(const TextInputs& target, const EncodedSource& source);
CrossPass cross_pass(const CrossCache& source);

/// The layers of attention in an encoder-decoder model: those of nn::SelfAttention, of which that of the keys may lack
/// the bias.
struct AttentionLayers {
  AttentionLayers(const nn::SelfAttention& all, bool has_key_bias = true) : all(all), has_key_bias(has_key_bias) {}

  nn::SelfAttention all;
  bool has_key_bias;
};
/// The functions of nn for these layers.
nn::HeadsOfDevice project(const nn::Scope& s, const Value& x, const AttentionLayers& a);
nn::KeysAndValues project_keys_and_values(const nn::Scope& s, const Value& x, const AttentionLayers& a);

/// Attention from x [rows, n, hidden] to the sources, without a layer after it. With a cache of fewer rows, consecutive
/// rows of x share a source: they become its queries.
Value cross_attention(const nn::Scope& s, const CrossPass& pass, int64_t layer, const Value& x,
                      const AttentionLayers& a);

/// The keys and values of the sources.
/// scope_of_layer  scope of the cross-attention of a layer
CrossCache make_cross_cache(const EncodedSource& source, const AttentionLayers& a, int64_t layers,
                            const std::function<nn::Scope(int64_t)>& scope_of_layer);

}  // namespace portatune::models
