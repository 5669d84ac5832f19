// Traversal of graphs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// The nodes on which `roots` depend, each after all of its inputs. The traversal ends at values for which `stop` is
/// true. The order depends only on the graph.
std::vector<const Node*> topological_order(std::span<const Value> roots, const std::function<bool(const Value&)>& stop);

/// True if the node is an input of a program or of a region.
bool is_parameter(const Node& node);

}  // namespace portatune
