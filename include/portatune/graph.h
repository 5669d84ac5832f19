// The graph: typed values, the operations that make them, gradients, and the way to StableHLO.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/mesh.h"
#include "portatune/tensor.h"

namespace portatune {

class Node;
class Lowering;
struct Op;

/// One result of a node: a handle that is cheap to copy and keeps everything it depends on alive. A graph is what can
/// be reached from its results; what nothing refers to is never compiled.
class Value {
 public:
  Value() = default;  ///< no value: "this input has no gradient", "this operand is absent"
  Value(std::shared_ptr<Node> node, size_t result) : node_(std::move(node)), result_(result) {}

  explicit operator bool() const { return node_ != nullptr; }
  const Node& node() const { return *node_; }
  size_t result() const { return result_; }

  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  int64_t rank() const { return shape().rank(); }

  bool operator==(const Value&) const = default;

 private:
  friend class Node;
  std::shared_ptr<Node> node_;
  size_t result_ = 0;
};

using Values = std::vector<Value>;
using Types = std::vector<TensorType>;

/// An operation: its shape rule, its gradient and its StableHLO text. Immutable; attributes are members.
struct Op {
  virtual ~Op() = default;

  /// As error messages call it, e.g. "concatenate".
  virtual std::string_view name() const = 0;

  /// Types of the results. Throws ShapeError if the operands do not fit.
  virtual Types infer(std::span<const Value> inputs) const = 0;

  /// Gradients of the inputs, given those of the results (an absent one is zero). One per input; an absent one means
  /// that nothing flows there. By default nothing flows to any input.
  virtual Values gradient(const Node& node, std::span<const Value> dresults) const;

  /// Writes the node as StableHLO.
  virtual void lower(const Node& node, Lowering& out) const = 0;
};

/// An application of an Op to inputs.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node(std::unique_ptr<const Op> op, Values inputs);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Op& op() const { return *op_; }
  const Values& inputs() const { return inputs_; }
  const Value& input(size_t i) const { return inputs_[i]; }
  const Types& types() const { return types_; }
  Value result(size_t i) const;

 private:
  std::unique_ptr<const Op> op_;
  Values inputs_;
  Types types_;
};

/// Applies `op` to `inputs`. ShapeError if they do not fit.
Values make_nodes(std::unique_ptr<const Op> op, Values inputs);
/// The same for an op with one result: make_node<Transpose>({x}, permutation).
template <class SomeOp, class... Attributes>
Value make_node(Values inputs, Attributes&&... attributes) {
  return make_nodes(std::make_unique<SomeOp>(std::forward<Attributes>(attributes)...), std::move(inputs)).front();
}

/// An input of a compiled program.
Value parameter(const std::string& name, TensorType type);

/// d loss / d x for every x in `wrt`, by reverse-mode differentiation. An x that the loss does not depend on gets
/// zeros.
/// loss     a float scalar
/// returns  one value per x, of its type
Values gradients(const Value& loss, std::span<const Value> wrt);

/// A program: what one executable takes and gives.
struct Function {
  Values parameters;
  Values results;
  /// Pairs (i, j): result j may be written into the memory of parameter i, which the call then consumes ("donation").
  std::vector<std::pair<size_t, size_t>> aliases = {};
  /// The devices that run it side by side, each on its parts of the arrays: types are those of parts.
  Mesh mesh = {};
  /// How the devices hold the results, where they do not hold the whole: as many as there are results, or none.
  std::vector<Sharding> result_shardings = {};
};

/// What a program is lowered for.
struct Target {
  /// Custom calls that the platform offers; a composite whose kernel is not here is lowered to its decomposition.
  std::set<std::string, std::less<>> kernels;
  /// Whether each device of the mesh is that of a process of its own: the module is for one device then, and kernels
  /// exchange arrays between them.
  bool across_processes = false;
};

/// The program as the text of a StableHLO module (StableHLO 1.13, static shapes), one operation a line.
std::string to_stablehlo(const Function& function, const Target& target);

}  // namespace portatune
