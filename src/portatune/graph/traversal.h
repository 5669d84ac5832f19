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

/// The nodes between x and y, each after its inputs: y depends on them, and they on x.
std::vector<const Node*> nodes_between(const Value& x, const Value& y);
/// The other inputs of these nodes, to which gradients may flow.
Values captured_floats(const std::vector<const Node*>& nodes, const Value& x);

}  // namespace portatune
