#include "portatune/models/encoders/disentangled_attention.h"

#include <algorithm>

#include "portatune/ops.h"

namespace portatune::models {
namespace {

using nn::Scope;

// [..., heads * head_size] -> [heads, rows, head_size]
Value by_head(const Value& x, int64_t heads) {
  return transpose(reshape(x, {-1, heads, x.shape().back() / heads}), {1, 0, 2});
}

// Products of each position with the distances to all others, [heads, batch, seq, seq].
// x          [batch, seq, heads * head_size]
// distances  [2 seq, heads * head_size]: row j - i + seq - 1 belongs to the position i and the other position j
Value products(const Value& x, const Value& distances, int64_t heads) {
  const int64_t batch = x.shape()[0], seq = x.shape()[1];
  const Value all = dot_general(by_head(x, heads), by_head(distances, heads),
                                {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {2}, .rhs_contracting = {2}},
                                DType::kFloat32);  // [heads, batch * seq, 2 seq]
  return shear(reshape(all, {heads, batch, seq, 2 * seq}));
}

// The embeddings of the distances 1 - length, ..., length, projected as keys or as queries.
Value projected(const Scope& s, const DisentangledAttention& a, const Distances& by_distance, const char* layer,
                bool from_highest) {
  const Scope scope = a.shares_projections ? s / layer : s / ("pos_" + std::string(layer));
  const Value rows = linear(scope, by_distance.x, a.content.heads * a.content.head_size, columns(a.content.linear));
  std::vector<int32_t> ids = by_distance.ids;
  if (from_highest) std::reverse(ids.begin(), ids.end() - 1);
  return gather_rows(rows, constant(Tensor({std::ssize(ids)}, std::span<const int32_t>(ids))));
}

// The terms of distances, [batch, heads of the device, seq, seq].
Value distance_bias(const Scope& s, const DisentangledAttention& a, const nn::HeadsOfDevice& heads, Distances d) {
  d.x = dropout(s, d.x, a.distance_dropout);
  const int64_t count = heads.options.heads;
  Value sum;
  if (a.c2p) {
    const Value keys = projected(s, a, d, a.content.key, true);
    sum = transpose(products(heads.q, keys, count), {1, 0, 2, 3});
  }
  if (a.p2c) {
    const Value queries = projected(s, a, d, a.content.query, false);
    const Value term = transpose(products(heads.k, queries, count), {1, 0, 3, 2});
    sum = sum ? sum + term : term;
  }
  return sum * heads.options.scale;
}

}  // namespace

Distances distances(const Value& table, const LogBuckets& buckets, int64_t length) {
  const int64_t span = table.shape()[0] / 2;
  const auto row_of = [&](int64_t distance) {
    return std::clamp<int64_t>(buckets.bucket_of(distance) + span, 0, 2 * span - 1);
  };
  const int64_t first = row_of(1 - length), end = row_of(length) + 1;
  std::vector<int32_t> ids;
  for (int64_t distance = 1 - length; distance <= length; ++distance) {
    ids.push_back(static_cast<int32_t>(row_of(distance) - first));
  }
  return {slice(table, 0, {first, end}), std::move(ids)};
}

Value disentangled_attention(const Scope& s, const DisentangledAttention& a, const Value& x, const Value& mask,
                             const Distances& by_distance) {
  const nn::HeadsOfDevice heads = project(s, x, a.content);
  return attention(s, heads, mask + distance_bias(s, a, heads, by_distance));
}

}  // namespace portatune::models
