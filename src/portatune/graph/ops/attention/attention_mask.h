// The masking of keys that a query does not see.
#pragma once

#include "portatune/ops.h"

namespace portatune {

/// Scores plus the bias of `mask`, with `unseen` at keys outside the query's segment or the band.
/// scores  [batch, heads, query, kv]
/// mask    see attention()
Value masked(const Value& scores, const Value& mask, const Band& band, double unseen);

}  // namespace portatune
