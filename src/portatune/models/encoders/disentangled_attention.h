// The attention of DeBERTa v2 and v3, whose scores have up to three terms: query and key, query and distance, key and
// distance. He et al. 2020, arXiv:2006.03654, section 3.1
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/models/relative_positions.h"
#include "portatune/nn.h"

namespace portatune::models {

struct DisentangledAttention {
  nn::SelfAttention content;        ///< its layers; its scale belongs to all terms
  bool c2p = false, p2c = false;    ///< terms of query and distance, of key and distance
  bool shares_projections = false;  ///< distances have the projections of contents ("share_att_key")
  double distance_dropout = 0;      ///< dropout probability of the embeddings of distances
};

/// The embeddings of the distances query - key in rows of `length`.
struct Distances {
  Value x;                   ///< [rows, hidden], the rows of the table that the distances have
  std::vector<int32_t> ids;  ///< indices of the distances 1 - length, ..., length into these rows
};
/// table  [2 span, hidden]; the distance d has row bucket(d) + span, or the closest one
Distances distances(const Value& table, const LogBuckets& buckets, int64_t length);

/// The attention without a layer after it, [batch, seq, hidden of the device].
/// mask  a bias, float32 [batch or 1, 1, seq or 1, seq]
Value disentangled_attention(const nn::Scope& s, const DisentangledAttention& a, const Value& x, const Value& mask,
                             const Distances& by_distance);

}  // namespace portatune::models
