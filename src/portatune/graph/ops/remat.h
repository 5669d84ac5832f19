// Recognition of recomputed nodes in graphs.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// The op of a node; for a recomputed node, the original op.
const Op& op_of(const Node& node);

}  // namespace portatune
