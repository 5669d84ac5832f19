// Which keys a query sees.
#pragma once

#include "portatune/ops.h"

namespace portatune {

/// Scores with the bias of `mask` added, or with `unseen` at keys that are not of the query's segment; and at keys
/// outside the band.
/// scores  [batch, heads, query, kv]
/// mask    as attention's
Value masked(const Value& scores, const Value& mask, const Band& band, double unseen);

}  // namespace portatune
