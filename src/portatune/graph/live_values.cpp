#include "portatune/graph/live_values.h"

#include "portatune/graph/ops/known_gradients.h"
#include "portatune/graph/ops/remat.h"
#include "portatune/graph/ops/while_loop.h"
#include "portatune/graph/traversal.h"

namespace portatune {
namespace {

using LiveResults = std::unordered_map<const Node*, std::vector<bool>>;

// Follows values to what they need.
class Search {
 public:
  void need(const Value& value) {
    if (!value) return;
    std::vector<bool>& results = live_[&value.node()];
    results.resize(value.node().types().size());
    if (results[value.result()]) return;
    results[value.result()] = true;
    pending_.push_back(value);
  }
  LiveResults run() {
    while (!pending_.empty()) {
      const Value value = pending_.back();
      pending_.pop_back();
      follow(value);
    }
    return std::move(live_);
  }

 private:
  void need_all(const Values& values) {
    for (const Value& value : values) need(value);
  }
  void follow(const Value& value) {
    const Node& node = value.node();
    if (const auto of_loop = loop_values_.find(&node); of_loop != loop_values_.end()) need(of_loop->second);
    const std::optional<CountedLoop> loop = counted_loop(op_of(node));
    if (loop && &op_of(node) == &node.op()) {
      follow_loop(node, *loop, value.result());
    } else if (is_with_gradients(op_of(node))) {
      need(node.input(0));
    } else {
      if (loop) need_all(loop->results);  // one that is computed again
      for (size_t i = 0; i < node.types().size(); ++i) need(node.result(i));
      need_all(node.inputs());
    }
  }
  // The index, and the result from its initial value and its value of the iteration before.
  void follow_loop(const Node& node, const CountedLoop& loop, size_t result) {
    for (size_t i = 0; i < loop.arguments.size(); ++i) {
      loop_values_.try_emplace(&loop.arguments[i].node(), node.result(i));
    }
    need(node.result(0));
    need(node.input(result));
    need(loop.results[result]);
  }

  LiveResults live_;
  std::unordered_map<const Node*, Value> loop_values_;  // the results of loops by the arguments of their bodies
  Values pending_;
};

// Adds all nodes on which values depend, in bodies of loops, too.
void add_nodes(const Values& values, std::unordered_set<const Node*>& nodes) {
  const auto known = [&](const Value& value) { return nodes.contains(&value.node()); };
  for (const Node* node : topological_order(values, known)) {
    nodes.insert(node);
    if (const auto loop = counted_loop(op_of(*node))) add_nodes(loop->results, nodes);
  }
}

}  // namespace

LiveValues::LiveValues(std::span<const Value> results) {
  Search search;
  for (const Value& result : results) search.need(result);
  live_ = search.run();
  add_nodes({results.begin(), results.end()}, dead_);
  std::erase_if(dead_, [&](const Node* node) { return live_.contains(node); });
}

std::vector<size_t> LiveValues::results_of(const Node& node) const {
  const auto found = live_.find(&node);
  std::vector<size_t> results;
  for (size_t i = 0; i < node.types().size(); ++i) {
    if (found == live_.end() || found->second[i]) results.push_back(i);
  }
  return results;
}

}  // namespace portatune
