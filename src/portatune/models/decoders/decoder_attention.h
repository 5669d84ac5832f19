// What decoders share: causal attention, with or without a cache of keys and values.
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

/// A cache of zeros.
///   type  that of the keys, or the values, of a layer
KeyValueCache zero_cache(int64_t layers, const TensorType& type);

/// A decoder whose layers are the same functions with and without a cache.
class LayeredDecoder : public Decoder {
 public:
  /// kv_size   size of the keys, or the values, of a token in one layer
  LayeredDecoder(int64_t layers, int64_t kv_size) : layers_(layers), kv_size_(kv_size) {}

  Values hidden_states(const nn::Scope& root, const TextInputs& in) const override;
  Value next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                          const Value& start) const override;
  KeyValueCache empty_cache(int64_t batch, int64_t length, DType dtype) const override;

 protected:
  /// hidden_states() of a pass.
  virtual Values run(const nn::Scope& root, const TextInputs& in, const DecoderPass& pass) const = 0;

 private:
  int64_t layers_, kv_size_;
};

}  // namespace portatune::models
