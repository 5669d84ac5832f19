#include "portatune/models/decoders/decoder_attention.h"

#include <limits>

#include "portatune/graph/ops/attention/cached_attention.h"
#include "portatune/models/text_inputs.h"

namespace portatune::models {
namespace {

// The bias with hidden keys at positions below `start` - (`window` - 1).
Value hide_before(const Value& bias, const Value& start, int64_t window) {
  const Value position = iota({DType::kInt32, bias.shape()}, 3);
  const Value first = start - full({DType::kInt32, {}}, static_cast<double>(window - 1));
  const Value lowest = full({DType::kFloat32, {}}, std::numeric_limits<float>::lowest());
  return select(compare(Direction::kLess, position, first), lowest, bias);
}

}  // namespace

DecoderPass decoder_pass(const TextInputs& in, KeyValueCache* cache, const Value& start) {
  return {mask_of(in), cache, start};
}

Value causal_attention(const nn::Scope& s, const DecoderPass& pass, int64_t layer, nn::HeadsOfDevice heads,
                       std::optional<int64_t> window) {
  heads.options.band = {.before = {}, .after = 0};
  if (window) heads.options.band.before = *window - 1;
  if (!pass.cache) return attention(s, heads, pass.mask);

  Value& keys = pass.cache->keys.at(static_cast<size_t>(layer));
  Value& values = pass.cache->values.at(static_cast<size_t>(layer));
  const Value start = pass.start ? pass.start : full({DType::kInt32, {}}, 0);
  keys = dynamic_update_slice(keys, heads.k, 1, start);
  values = dynamic_update_slice(values, heads.v, 1, start);
  // The first tokens see only each other. A later token is at the position `start` of the mask.
  if (!pass.start) return attention(s, heads, pass.mask);
  heads.k = keys;
  heads.v = values;
  heads.options.band = {};
  heads.options.dropout = 0;  // tokens are not generated in training
  const Value mask = window ? hide_before(pass.mask, start, *window) : pass.mask;
  if (!pass.cache->rows) return attention(s, heads, mask);
  return cached_attention(heads.q, keys, values, mask, pass.cache->rows, heads.options);
}

KeyValueCache zero_cache(int64_t layers, const TensorType& type) {
  const Values zeros(static_cast<size_t>(layers), full(type, 0));
  return {zeros, zeros};
}

Values LayeredDecoder::hidden_states(const nn::Scope& root, const TextInputs& in) const {
  return run(root, in, decoder_pass(in));
}

Value LayeredDecoder::next_hidden_state(const nn::Scope& root, const TextInputs& in, KeyValueCache& cache,
                                        const Value& start) const {
  return run(root, in, decoder_pass(in, &cache, start)).back();
}

KeyValueCache LayeredDecoder::empty_cache(int64_t batch, int64_t length, DType dtype) const {
  return zero_cache(layers_, {dtype, {batch, length, kv_size_}});
}

}  // namespace portatune::models
