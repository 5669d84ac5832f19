#include "portatune/graph/traversal.h"

#include <algorithm>
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

std::vector<const Node*> nodes_between(const Value& x, const Value& y) {
  std::unordered_set<const Node*> dependent;
  std::vector<const Node*> between;
  for (const Node* node : topological_order({&y, 1}, [&](const Value& value) { return value == x; })) {
    const auto depends = [&](const Value& in) { return in && (in == x || dependent.contains(&in.node())); };
    if (!std::ranges::any_of(node->inputs(), depends)) continue;
    dependent.insert(node);
    between.push_back(node);
  }
  return between;
}

Values captured_floats(const std::vector<const Node*>& nodes, const Value& x) {
  const std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
  Values captured;
  for (const Node* node : nodes) {
    for (const Value& input : node->inputs()) {
      if (!input || input == x || inside.contains(&input.node()) || !is_float(input.dtype())) continue;
      if (std::ranges::find(captured, input) == captured.end()) captured.push_back(input);
    }
  }
  return captured;
}

}  // namespace portatune
