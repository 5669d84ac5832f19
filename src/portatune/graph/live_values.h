// The part of a graph that a program needs.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// What the results of a program need. Not needed are results of loops over an index that nothing uses, and gradients
/// that are known before the backward pass and that no result asks for. Everything counts as needed in a graph that was
/// not given, such as a decomposition.
class LiveValues {
 public:
  LiveValues() = default;
  /// The results must live longer.
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
