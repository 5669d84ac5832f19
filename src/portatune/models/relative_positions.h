// Terms of attention that depend on the distance of key and query.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/nn.h"

namespace portatune::models {

/// Distances key - query, grouped: small ones each have a bucket, larger ones share buckets of growing width. Raffel et
/// al. 2020, arXiv:1910.10683, section 2.1
struct RelativeBuckets {
  int64_t num_buckets = 32;
  int64_t max_distance = 128;  ///< from here on all distances share the last bucket
  /// Keys after the query have the upper half of the buckets; if false, they all have bucket 0.
  bool is_bidirectional = true;

  int64_t bucket_of(int64_t distance) const;
};

/// Distances of either sign, grouped: those up to num_buckets / 2 keep their value, larger ones share values that grow
/// with their logarithm; that of max_distance - 1 is num_buckets - 1. He et al. 2021, arXiv:2111.09543
struct LogBuckets {
  int64_t num_buckets;   ///< 0 or less: no groups
  int64_t max_distance;  ///< more than num_buckets / 2 + 1

  int64_t bucket_of(int64_t distance) const;
};

/// x [..., query, query + kv] at each pair of positions, [..., query, kv]: element (i, j) is the element of row i at
/// j - i + query - 1. The last column is not used.
Value shear(const Value& x);

/// x [heads, query + kv - 1] at each pair of positions, [heads, query, kv]: element (i, j) is x at j - i + query - 1.
Value toeplitz(const Value& x, int64_t query, int64_t kv);

/// A learned bias for each bucket and head.
struct RelativeBias {
  RelativeBuckets buckets;
  int64_t heads;                 ///< number of heads of all devices
  double initializer_scale = 1;  ///< factor of the standard deviation of a new weight
};
/// The bias of attention among the tokens of rows of `length`, float32 [1, heads of the device, length, length];
/// "weight" [num_buckets, heads].
Value relative_bias(const nn::Scope& s, const RelativeBias& bias, int64_t length);
/// The row of that bias for the query at the position `start`, [1, heads of the device, 1, length].
Value relative_bias_at(const nn::Scope& s, const RelativeBias& bias, int64_t length, const Value& start);

}  // namespace portatune::models
