// Attention to a cache whose rows several texts read.
#pragma once

#include "portatune/ops.h"

namespace portatune {

/// attention() of one query of each text to a cache, without dropout. A text may read keys and values in the rows of
/// other texts, so that texts with the same beginning, such as beams, share it without a copy.
/// q        [texts, 1, heads * head_size]
/// k, v     [texts, length, kv_heads * head_size]
/// bias     float32 [texts or 1, heads or 1, 1, length]
/// rows     int32 [texts, length]: the row of k and v that a text reads at each position
/// options  without band and dropout
/// returns  the type of q
Value cached_attention(const Value& q, const Value& k, const Value& v, const Value& bias, const Value& rows,
                       const AttentionOptions& options);

}  // namespace portatune
