#include "portatune/graph/ops/remat.h"

#include <algorithm>
#include <map>

#include "portatune/graph/checks.h"
#include "portatune/graph/gradients.h"
#include "portatune/graph/lowering.h"
#include "portatune/graph/ops/collectives.h"
#include "portatune/graph/ops/linear.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// optimization_barrier(x...): x.
//   gradient  dy
//   lowering  the kernel portatune.barrier on CPUs, because XLA drops its own barrier there;
//             stablehlo.optimization_barrier elsewhere
struct Barrier final : Op {
  std::string_view name() const override { return "optimization_barrier"; }
  Types infer(std::span<const Value> inputs) const override {
    Types types;
    for (const Value& input : inputs) types.push_back(input.type());
    return types;
  }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    return {dresults.begin(), dresults.end()};
  }
  void lower(const Node& node, Lowering& out) const override {
    KernelCall call{.target = "portatune.barrier"};
    for (size_t i = 0; i < node.inputs().size(); ++i) call.in_place.emplace_back(i, i);
    if (!out.call_kernel(node, call)) out.write(node, "stablehlo.optimization_barrier");
  }
};

// An op that is applied again, to other inputs.
struct Again final : Op {
  const std::shared_ptr<const Node> original;
  explicit Again(const Node& original) : original(original.shared_from_this()) {}

  std::string_view name() const override { return original->op().name(); }
  Types infer(std::span<const Value>) const override { return original->types(); }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return original->op().gradient(node, dresults);
  }
  void lower(const Node& node, Lowering& out) const override { original->op().lower(node, out); }
};

// kept(x, again): x, with its gradient passed to `again`, the same value recomputed. Otherwise the backward pass would
// end at a value behind the barrier.
struct Kept final : Op {
  std::string_view name() const override { return "kept"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  Values gradient(const Node&, std::span<const Value> dresults) const override { return {Value(), dresults[0]}; }
  void lower(const Node& node, Lowering& out) const override { out.substitute(node, {node.input(0)}); }
};

// A part of a graph that is computed again, from values behind a barrier.
class Recomputation {
 public:
  /// kept  values that are not computed again
  /// dy    the gradient, which the recomputation must wait for, or absent; it passes through the barrier, too
  explicit Recomputation(const Values& kept, const Value& dy = {}) {
    Values all = kept;
    if (dy) all.push_back(dy);
    const Values behind = optimization_barrier(all);
    for (size_t i = 0; i < kept.size(); ++i) {
      kept_.emplace_back(kept[i], behind[i]);
      again_.emplace(key_of(kept[i]), behind[i]);
    }
    if (dy) dy_ = behind.back();
  }

  const Value& dy() const { return dy_; }
  /// The kept values behind the barrier.
  Values behind() const {
    Values values;
    for (const auto& [kept, behind] : kept_) values.push_back(behind);
    return values;
  }
  Value again(const Value& value) const {
    const auto found = value ? again_.find(key_of(value)) : again_.end();
    return found == again_.end() ? value : found->second;
  }
  void compute(const Node& node) {
    Values inputs;
    for (const Value& input : node.inputs()) inputs.push_back(again(input));
    const Values results = make_nodes(std::make_unique<Again>(node), std::move(inputs));
    for (size_t i = 0; i < results.size(); ++i) {
      const auto kept = std::ranges::find(kept_, node.result(i), &std::pair<Value, Value>::first);
      const Value result = kept == kept_.end() ? results[i] : make_node<Kept>({kept->second, results[i]});
      again_.insert_or_assign(key_of(node.result(i)), result);
    }
  }

 private:
  using Key = std::pair<const Node*, size_t>;
  static Key key_of(const Value& value) { return {&value.node(), value.result()}; }

  std::vector<std::pair<Value, Value>> kept_;  // values before and behind the barrier
  std::map<Key, Value> again_;
  Value dy_;
};

// Sharded weights among some values: the gathered arrays, and the shards.
struct Gathered {
  Values wholes, parts;

  explicit Gathered(std::span<const Value> values) {
    for (const Value& value : values) {
      if (!is_all_gather(value.node())) continue;
      wholes.push_back(value);
      parts.push_back(value.node().input(0));
    }
  }
};

// remat(y, x, captured...): y.
//   gradient  the gradient of the nodes between x and y, which are computed again
//   lowering  none: it disappears
struct Rematerialise final : Op {
  const Remat policy;
  explicit Rematerialise(Remat policy) : policy(policy) {}

  std::string_view name() const override { return "remat"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  void lower(const Node& node, Lowering& out) const override { out.substitute(node, {node.input(0)}); }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &y = node.input(0), &x = node.input(1);
    const std::vector<const Node*> nodes = nodes_between(x, y);
    // x, and the captured values.
    Values wrt(node.inputs().begin() + 1, node.inputs().end());
    const Gathered gathered(wrt);
    Values kept{x};
    kept.insert(kept.end(), gathered.parts.begin(), gathered.parts.end());
    for (const Node* between : nodes) {
      if (policy == Remat::kDots && is_matrix_product(*between)) kept.push_back(between->result(0));
    }
    Recomputation recomputation(kept, dresults[0]);
    for (const Value& whole : gathered.wholes) recomputation.compute(whole.node());
    for (const Node* between : nodes) recomputation.compute(*between);

    // The backward pass also ends at the other values behind the barrier.
    for (Value& value : wrt) value = recomputation.again(value);
    const Values behind = recomputation.behind();
    wrt.insert(wrt.end(), behind.begin() + 1, behind.end());
    Values dinputs = backpropagate(Values{recomputation.again(y)}, Values{recomputation.dy()}, wrt, AtWrt::kStop);
    dinputs.insert(dinputs.begin(), Value());
    dinputs.resize(node.inputs().size());
    return dinputs;
  }
};

}  // namespace

const Op& op_of(const Node& node) {
  const auto* const again = dynamic_cast<const Again*>(&node.op());
  return again == nullptr ? node.op() : op_of(*again->original);
}

Values optimization_barrier(const Values& x) { return make_nodes(std::make_unique<Barrier>(), x); }

Value remat(const Value& x, const Value& y, Remat policy) {
  if (policy == Remat::kNone) return y;
  const std::vector<const Node*> nodes = nodes_between(x, y);
  require(!nodes.empty(), "remat", Values{x, y}, "a second operand that is computed from the first");
  Values inputs = captured_floats(nodes, x);
  inputs.insert(inputs.begin(), {y, x});
  const Gathered gathered(inputs);
  if (!gathered.wholes.empty()) {
    // A barrier makes the shards wait for x; otherwise the weights of all layers would be gathered at the start.
    Values kept{x};
    kept.insert(kept.end(), gathered.parts.begin(), gathered.parts.end());
    Recomputation later(kept);
    for (const Value& whole : gathered.wholes) later.compute(whole.node());
    for (const Node* node : nodes) later.compute(*node);
    for (Value& input : inputs) input = later.again(input);
  }
  return make_node<Rematerialise>(std::move(inputs), policy);
}

}  // namespace portatune
