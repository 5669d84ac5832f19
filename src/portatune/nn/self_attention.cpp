#include <cmath>

#include "portatune/nn.h"

namespace portatune::nn {
namespace {

AttentionOptions options_of(const Scope& s, const SelfAttention& a) {
  return {.heads = share(s, "attention heads", a.heads),
          .scale = a.scale.value_or(1 / std::sqrt(static_cast<double>(a.head_size))),
          .dropout = a.dropout,
          .band = a.band,
          .kv_heads = share(s, "key/value heads", a.kv_heads),
          .dropout_heads = a.heads};
}

Value heads_of(const Scope& s, const Value& x, int64_t count, const SelfAttention& a, double initializer_scale = 1) {
  LinearOptions options = columns(a.linear);
  options.initializer_scale *= initializer_scale;
  return linear(s, x, count * a.head_size, options);
}

}  // namespace

HeadsOfDevice project_queries(const Scope& s, const Value& x, const SelfAttention& a) {
  const AttentionOptions options = options_of(s, a);
  return {heads_of(s / a.query, x, a.heads, a, a.query_initializer_scale), {}, {}, options};
}

KeysAndValues project_keys_and_values(const Scope& s, const Value& x, const SelfAttention& a) {
  const Value k = heads_of(s / a.key, x, a.kv_heads, a), v = heads_of(s / a.value, x, a.kv_heads, a);
  return {k, v};
}

HeadsOfDevice project(const Scope& s, const Value& x, const SelfAttention& a) {
  const HeadsOfDevice heads = project_queries(s, x, a);
  const auto [k, v] = project_keys_and_values(s, x, a);
  return {heads.q, k, v, heads.options};
}

HeadsOfDevice split_projection(const Scope& s, const Value& qkv, const SelfAttention& a) {
  const AttentionOptions options = options_of(s, a);
  const int64_t width = options.heads * a.head_size;
  const auto part = [&](int64_t i) { return slice(qkv, -1, {i * width, (i + 1) * width}); };
  return {part(0), part(1), part(2), options};
}

HeadsOfDevice split_projection_by_head(const Scope& s, const Value& qkv, const SelfAttention& a) {
  const AttentionOptions options = options_of(s, a);
  const Shape& shape = qkv.shape();
  const Value by_head = reshape(qkv, {shape[0], shape[1], options.heads, 3, a.head_size});
  const auto part = [&](int64_t i) {
    return reshape(slice(by_head, 3, {i, i + 1}), {shape[0], shape[1], options.heads * a.head_size});
  };
  return {part(0), part(1), part(2), options};
}

Value attention(const Scope& s, const HeadsOfDevice& heads, const Value& mask) {
  return attention(s, heads.q, heads.k, heads.v, mask, heads.options);
}

Value self_attention(const Scope& s, const Value& x, const Value& mask, const SelfAttention& a) {
  return attention(s, project(s, x, a), mask);
}

}  // namespace portatune::nn
