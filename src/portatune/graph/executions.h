// How often a program runs its nodes.
#pragma once

#include <functional>

#include "portatune/graph.h"

namespace portatune {

/// Calls `visit` with each node that the results of the function need, and how often it runs: nodes in a loop over an
/// index run in each iteration. Bodies of other loops are not visited.
void visit_executions(const Function& function, const std::function<void(const Node& node, double times)>& visit);

}  // namespace portatune
