#include "portatune/graph/gradients.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "portatune/error.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

using Key = std::pair<const Node*, size_t>;
Key key_of(const Value& value) { return {&value.node(), value.result()}; }

// Sums the gradients of each value.
class Flow {
 public:
  void add(const Value& value, const Value& gradient) {
    if (gradient.type() != value.type()) {
      throw std::logic_error("gradient of type " + to_string(gradient.type()) + " for a value of type " +
                             to_string(value.type()) + " made by " + std::string(value.node().op().name()));
    }
    Value& sum = sums_[key_of(value)];
    sum = sum ? sum + gradient : gradient;
  }
  Value into(const Key& key) const {
    const auto found = sums_.find(key);
    return found == sums_.end() ? Value() : found->second;
  }
  /// Gradients of the results of a node; empty if none of them has one.
  Values into(const Node& node) const {
    Values dresults;
    bool any = false;
    for (size_t i = 0; i < node.types().size(); ++i) {
      dresults.push_back(into({&node, i}));
      any |= static_cast<bool>(dresults.back());
    }
    return any ? dresults : Values();
  }

 private:
  std::map<Key, Value> sums_;
};

}  // namespace

Values backpropagate(std::span<const Value> results, std::span<const Value> dresults, std::span<const Value> wrt,
                     AtWrt at_wrt) {
  std::set<Key> targets;
  for (const Value& value : wrt) targets.insert(key_of(value));
  const auto stop = [&](const Value& value) { return at_wrt == AtWrt::kStop && targets.contains(key_of(value)); };
  const std::vector<const Node*> order = topological_order(results, stop);

  // Only nodes through which a target can be reached are differentiated.
  std::unordered_set<const Node*> on_path;
  const auto leads_to_target = [&](const Value& value) {
    return value && (targets.contains(key_of(value)) || on_path.contains(&value.node()));
  };
  for (const Node* node : order) {
    if (std::ranges::any_of(node->inputs(), leads_to_target)) on_path.insert(node);
  }

  Flow flow;
  for (size_t i = 0; i < results.size(); ++i) {
    if (dresults[i]) flow.add(results[i], dresults[i]);
  }
  for (const Node* node : order | std::views::reverse) {
    if (!on_path.contains(node)) continue;
    const Values dnode = flow.into(*node);
    if (dnode.empty()) continue;
    const Values dinputs = node->op().gradient(*node, dnode);
    for (size_t i = 0; i < dinputs.size(); ++i) {
      if (dinputs[i] && leads_to_target(node->input(i))) flow.add(node->input(i), dinputs[i]);
    }
  }

  Values gradients;
  for (const Value& value : wrt) gradients.push_back(flow.into(key_of(value)));
  return gradients;
}

Values gradients(const Value& loss, std::span<const Value> wrt) {
  if (!is_float(loss.dtype()) || loss.rank() != 0) {
    throw ShapeError({.where = "gradients",
                      .given = "a loss of type " + to_string(loss.type()),
                      .expected = "a float scalar",
                      .fix = "sum or average the loss over its elements"});
  }
  const Value one = full(loss.type(), 1.0);
  Values result = backpropagate({&loss, 1}, {&one, 1}, wrt, AtWrt::kContinue);
  for (size_t i = 0; i < result.size(); ++i) {
    if (!result[i]) result[i] = full(wrt[i].type(), 0.0);
  }
  return result;
}

}  // namespace portatune
