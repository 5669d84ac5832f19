// Walking over graphs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// The nodes that `roots` depend on, each after all of its inputs; the walk does not go into a value for which `stop`
/// is true. The order depends on the graph alone.
std::vector<const Node*> topological_order(std::span<const Value> roots, const std::function<bool(const Value&)>& stop);

/// Whether the node is an input of a program or of a region.
bool is_parameter(const Node& node);

}  // namespace portatune
