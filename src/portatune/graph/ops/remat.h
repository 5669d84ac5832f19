// What remat() makes of a graph, for those who look at its nodes.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// The op of a node, or of the one that it computes once more.
const Op& op_of(const Node& node);

}  // namespace portatune
