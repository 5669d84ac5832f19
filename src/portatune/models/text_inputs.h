// Preparation of a model's inputs before the first layer.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// The mask for attention(): a bias that hides padding, if there is any, or, in packed rows, the segments.
Value mask_of(const TextInputs& in);

/// The same mask as a bias in any case, float32 [batch or 1, 1, seq or 1, seq], to which others can be added.
Value bias_of_mask(const TextInputs& in);

/// float32 [batch, 1, query, kv] to add to attention scores: 0 where a query and a key have the same segment, else the
/// lowest float. Segments 0 are padding, which sees nothing.
/// queries, keys  numbers of segments, int32 [batch, query] and [batch, kv]
Value segment_bias(const Value& queries, const Value& keys);

/// The position_ids, or 0, 1, 2, ... as [seq].
Value positions_of(const TextInputs& in);

}  // namespace portatune::models
