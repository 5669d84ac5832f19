#include "portatune/models/seq2seq/cross_attention.h"

#include "portatune/models/text_inputs.h"

namespace portatune::models {

nn::KeysAndValues project_keys_and_values(const nn::Scope& s, const Value& x, const AttentionLayers& a) {
  const auto heads = [&](const char* name, bool has_bias) {
    nn::LinearOptions options = nn::columns(a.all.linear);
    options.bias = options.bias && has_bias;
    return linear(s / name, x, a.all.kv_heads * a.all.head_size, options);
  };
  const Value k = heads(a.all.key, a.has_key_bias), v = heads(a.all.value, true);
  return {k, v};
}

nn::HeadsOfDevice project(const nn::Scope& s, const Value& x, const AttentionLayers& a) {
  const nn::HeadsOfDevice heads = project_queries(s, x, a.all);
  const auto [k, v] = project_keys_and_values(s, x, a);
  return {heads.q, k, v, heads.options};
}

CrossPass cross_pass(const TextInputs& target, const EncodedSource& source) {
  const Value mask = target.packed ? segment_bias(target.attention_mask, source.attention_mask)
                                   : nn::attention_bias(source.attention_mask);
  return {.mask = mask, .x = source.x};
}

CrossPass cross_pass(const CrossCache& source) {
  return {.mask = nn::attention_bias(source.attention_mask), .cache = &source.layers};
}

Value cross_attention(const nn::Scope& s, const CrossPass& pass, int64_t layer, const Value& x,
                      const AttentionLayers& a) {
  nn::HeadsOfDevice heads = project_queries(s, x, a.all);
  if (pass.cache == nullptr) {
    const auto [k, v] = project_keys_and_values(s, pass.x, a);
    return attention(s, heads.q, k, v, pass.mask, heads.options);
  }
  const auto index = static_cast<size_t>(layer);
  const Value &keys = pass.cache->keys.at(index), &values = pass.cache->values.at(index);
  const Shape& rows = heads.q.shape();
  const Value queries = reshape(heads.q, {keys.shape()[0], -1, rows[2]});
  return reshape(attention(s, queries, keys, values, pass.mask, heads.options), rows);
}

CrossCache make_cross_cache(const EncodedSource& source, const AttentionLayers& a, int64_t layers,
                            const std::function<nn::Scope(int64_t)>& scope_of_layer) {
  CrossCache cache{.layers = {}, .attention_mask = source.attention_mask};
  for (int64_t i = 0; i < layers; ++i) {
    const auto [k, v] = project_keys_and_values(scope_of_layer(i), source.x, a);
    cache.layers.keys.push_back(k);
    cache.layers.values.push_back(v);
  }
  return cache;
}

}  // namespace portatune::models
