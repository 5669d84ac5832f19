#include "portatune/graph/traversal.h"

#include <unordered_set>

namespace portatune {

std::vector<const Node*> topological_order(std::span<const Value> roots,
                                           const std::function<bool(const Value&)>& stop) {
  struct Visit {
    const Node* node;
    size_t next_input;
  };
  std::vector<const Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<Visit> stack;  // explicit: a model's graph is deeper than the call stack should be
  const auto enter = [&](const Value& value) {
    if (value && !stop(value) && seen.insert(&value.node()).second) stack.push_back({&value.node(), 0});
  };
  for (const Value& root : roots) {
    enter(root);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next_input < visit.node->inputs().size()) {
        enter(visit.node->input(visit.next_input++));
      } else {
        order.push_back(visit.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace portatune
