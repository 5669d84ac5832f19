// Decoders with rotary positions.
#pragma once

#include <functional>

#include "portatune/models/decoders/decoder_attention.h"
#include "portatune/models/rope.h"

namespace portatune::models {

/// Inputs of a layer besides x.
struct LayerInputs {
  int64_t layer;
  DecoderPass pass;
  RopeTables rope;
  std::optional<int64_t> window = {};  ///< number of tokens that a token sees, with itself; absent: all earlier ones
};

/// The tables of the tokens of a pass.
RopeTables rope_tables(const RopeParameters& p, int64_t head_size, int64_t max_position_embeddings,
                       const TextInputs& in, const DecoderPass& pass);

/// causal_attention() of the heads, rotated by their positions.
Value rotary_attention(const nn::Scope& s, const nn::HeadsOfDevice& heads, const LayerInputs& in);

/// f of each head: of x [batch, seq, heads * head_size] as [batch, seq, heads, head_size].
Value within_heads(const Value& x, int64_t head_size, const std::function<Value(const Value&)>& f);

}  // namespace portatune::models
