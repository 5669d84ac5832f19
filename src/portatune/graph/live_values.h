// The part of a graph that a program needs.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// The values that the results of a program need. Unused results of loops over an index are not among them, nor are
/// gradients that are known before the backward pass and that no result uses. Values of another graph, such as a
/// decomposition, count as needed.
class LiveValues {
 public:
  /// The results must outlive it.
  explicit LiveValues(std::span<const Value> results);

  /// Whether the program needs a result of the node.
  bool contains(const Node& node) const { return !dead_.contains(&node); }
  /// Indices of the node's results that the program needs.
  std::vector<size_t> results_of(const Node& node) const;

 private:
  std::unordered_map<const Node*, std::vector<bool>> live_;  // by node and result
  std::unordered_set<const Node*> dead_;
};

}  // namespace portatune
