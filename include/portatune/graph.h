// The graph: typed values, the operations that compute them, their gradients, and their lowering to StableHLO.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// Devices along `data` and `fsdp` work on different rows of a batch. Along `data` each device holds all weights and,
/// if `fsdp` is 1, a shard of the optimizer state of matrices. Along `fsdp` each device holds a shard of both, and
/// gathers a weight when a layer needs it. Devices along `tensor` work on the same rows; each has a part of the heads
/// and features of each layer.
/// source: Zhao et al. 2023, arXiv:2304.11277 (FSDP); Shoeybi et al. 2019, arXiv:1909.08053 (tensor parallelism)
enum class MeshAxis { kData, kFsdp, kTensor };
using MeshAxes = std::vector<MeshAxis>;

/// The axes over which the rows of a batch are divided.
inline const MeshAxes kBatchAxes = {MeshAxis::kData, MeshAxis::kFsdp};

/// A grid of devices. Device (d * fsdp + f) * tensor + t has index d along data, f along fsdp and t along tensor.
struct Mesh {
  int64_t data = 1, fsdp = 1, tensor = 1;

  bool operator==(const Mesh&) const = default;

  int64_t devices() const { return data * fsdp * tensor; }
  /// Number of devices along these axes, the size of each of groups().
  int64_t size(const MeshAxes& axes) const;
  /// Index of a device in its group; the first axis is the major one.
  int64_t index(int64_t device, const MeshAxes& axes) const;
  /// All devices in groups that differ only along these axes, in the order of index(). The groups of a mesh of two by
  /// two along data are {{0, 2}, {1, 3}}.
  std::vector<std::vector<int64_t>> groups(const MeshAxes& axes) const;
};

/// All axes except these.
MeshAxes other_axes(const MeshAxes& axes);

/// Parses a mesh such as "data=4,fsdp=2".
/// errors  UsageError, which names the known axes
Mesh parse_mesh(const std::string& text);
/// The mesh as text, "data=4,fsdp=2"; "data=1" for one device.
std::string to_string(const Mesh& mesh);

/// The layout of an array on the devices of a mesh: divided into equal shards along one axis, or whole on each device.
struct Sharding {
  int64_t axis = 0;
  MeshAxes over = {};  ///< mesh axes over which the array is divided; empty: each device holds the whole array
  /// Number of equal blocks along the axis, such as 3 for the weights of queries, keys and values in one array. The
  /// devices along the first axis of `over` have a part of every block; the devices along the others divide that part.
  int64_t blocks = 1;

  bool operator==(const Sharding&) const = default;
};

/// The type of each device's shard of an array.
/// errors  ShapeError if the array cannot be divided so
TensorType part_of(const TensorType& whole, const Sharding& sharding, const Mesh& mesh);

class Node;
class Lowering;
struct Op;

/// One result of a node: a handle that is cheap to copy and keeps everything it depends on alive. A graph consists of
/// the nodes that can be reached from its results; other nodes are never compiled.
class Value {
 public:
  Value() = default;  ///< No value: "this input has no gradient", "this operand is absent".
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

/// An operation: its shape rule, its gradient and its StableHLO text. It is immutable; attributes are members.
struct Op {
  virtual ~Op() = default;

  /// The name in error messages, e.g. "concatenate".
  virtual std::string_view name() const = 0;

  /// Types of the results. Throws ShapeError if the operands do not fit.
  virtual Types infer(std::span<const Value> inputs) const = 0;

  /// Gradients of the inputs, one per input, given the gradients of the results (an absent one is zero). An absent
  /// gradient of an input means that no gradient flows there. By default no gradient flows to any input.
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

/// Applies `op` to `inputs`. ShapeError if the inputs do not fit the op.
Values make_nodes(std::unique_ptr<const Op> op, Values inputs);
/// The same for an op with one result: make_node<Transpose>({x}, permutation).
template <class SomeOp, class... Attributes>
Value make_node(Values inputs, Attributes&&... attributes) {
  return make_nodes(std::make_unique<SomeOp>(std::forward<Attributes>(attributes)...), std::move(inputs)).front();
}

/// An input of a compiled program.
Value parameter(const std::string& name, TensorType type);

/// d loss / d x for every x in `wrt`, by reverse-mode differentiation; zeros if the loss does not depend on x.
/// loss     a float scalar
/// returns  one value per x, of its type
Values gradients(const Value& loss, std::span<const Value> wrt);

/// A program: the parameters and results of one executable.
struct Function {
  Values parameters;
  Values results;
  /// Pairs (i, j): result j may be written into the memory of parameter i, which is donated to the call.
  std::vector<std::pair<size_t, size_t>> aliases = {};
  /// The devices that run the program together, each on its shards of the arrays. All types are those of shards.
  Mesh mesh = {};
  /// Sharding of each result; empty if every device holds all results whole.
  std::vector<Sharding> result_shardings = {};
};

/// The platform that a program is lowered for.
struct Target {
  /// Custom calls that the platform offers. A composite whose kernel is not among them is lowered to its decomposition.
  std::set<std::string, std::less<>> kernels;
  /// True if each device of the mesh belongs to another process. The module is then for one device, and kernels
  /// exchange arrays between the processes.
  bool across_processes = false;
  /// True for GPUs. XLA's sums of scattered floats differ there from run to run, and its fusions compute some values
  /// several times; ops avoid both.
  bool is_gpu = false;
};

/// The program as the text of a StableHLO module (StableHLO 1.13, static shapes), one operation a line.
std::string to_stablehlo(const Function& function, const Target& target);

}  // namespace portatune
