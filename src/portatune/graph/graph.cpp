#include "portatune/graph.h"

#include <algorithm>
#include <iterator>

#include "portatune/error.h"
#include "portatune/graph/lowering.h"

namespace portatune {
namespace {

// An input of the program. Lowering binds its name before it writes any operation.
struct Parameter final : Op {
  const std::string label;
  const TensorType type;
  Parameter(std::string label, TensorType type) : label(std::move(label)), type(std::move(type)) {}

  std::string_view name() const override { return label; }
  Types infer(std::span<const Value>) const override { return {type}; }
  void lower(const Node&, Lowering&) const override {
    throw UsageError({.where = "to_stablehlo",
                      .given = "a result that depends on the parameter \"" + label + "\"",
                      .expected = "every used parameter among the function's parameters"});
  }
};

}  // namespace

const TensorType& Value::type() const { return node_->types()[result_]; }

Values Op::gradient(const Node& node, std::span<const Value>) const { return Values(node.inputs().size()); }

Node::Node(std::unique_ptr<const Op> op, Values inputs)
    : op_(std::move(op)), inputs_(std::move(inputs)), types_(op_->infer(inputs_)) {}

// Only the destructor changes a node; therefore all handles may share one that is not const.
Value Node::result(size_t i) const { return {std::const_pointer_cast<Node>(shared_from_this()), i}; }

// Inputs are released one by one: a recursive destruction of a chain of many thousand nodes would overflow the stack.
Node::~Node() {
  Values pending = std::move(inputs_);
  while (!pending.empty()) {
    const std::shared_ptr<Node> node = std::move(pending.back().node_);
    pending.pop_back();
    if (node && node.use_count() == 1) {
      std::move(node->inputs_.begin(), node->inputs_.end(), std::back_inserter(pending));
      node->inputs_.clear();
    }
  }
}

Values make_nodes(std::unique_ptr<const Op> op, Values inputs) {
  const auto node = std::make_shared<Node>(std::move(op), std::move(inputs));
  Values results;
  for (size_t i = 0; i < node->types().size(); ++i) results.push_back(node->result(i));
  return results;
}

bool is_parameter(const Node& node) { return dynamic_cast<const Parameter*>(&node.op()) != nullptr; }

Value parameter(const std::string& name, TensorType type) { return make_node<Parameter>({}, name, std::move(type)); }

}  // namespace portatune
