// Lowering of a graph to StableHLO text. The ops include it.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "portatune/graph.h"
#include "portatune/graph/live_values.h"
#include "portatune/graph/stablehlo/writer.h"

namespace portatune {

/// Names and MLIR texts of an operation's attributes.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// A custom call in place of a composite's decomposition.
struct KernelCall {
  std::string_view target;     ///< "portatune.linear"
  Attributes attributes = {};  ///< attributes with the types that the handler binds
  Values operands = {};        ///< operands; if empty, the inputs of the node
  /// Pairs (result, operand) that share memory, because the kernel works in place.
  std::vector<std::pair<size_t, size_t>> in_place = {};
  bool moves_bytes = false;  ///< true if the kernel accepts any type; else only the types that kernels compute with
};
/// The call of no kernel: no target offers it.
inline const KernelCall kNoKernel{.target = ""};

/// Writes nodes in an order in which every operand comes before its use.
class Lowering {
 public:
  Lowering(const Target& target, const Function& function, stablehlo::Writer& writer)
      : target_(target), mesh_(function.mesh), writer_(writer), live_(function.results) {}

  /// Names a value that the writer has not created, such as an argument of the program. UsageError if it has a name.
  void bind(const Value& value, std::string name);
  /// Writes all nodes that `values` need and that have not been written yet, except those that the program does not
  /// need.
  void require(std::span<const Value> values);
  /// The name of a value; it must have been required.
  const std::string& name_of(const Value& value) const;

  // For Op::lower:

  /// Writes the node as the operation `name` with its inputs as the operands.
  void write(const Node& node, std::string_view name, Attributes attributes = {}, std::string region = {});
  /// The same with other operands.
  void write(const Node& node, std::span<const Value> operands, std::string_view name, Attributes attributes = {},
             std::string region = {});
  /// Indices of the results of the node that the program needs.
  std::vector<size_t> live_results(const Node& node) const { return live_.results_of(node); }
  /// Writes the node as the operation `name` with only these of its results.
  void write_live(const Node& node, const std::vector<size_t>& live, std::span<const Value> operands,
                  std::string_view name, std::string region);
  /// True if the target has a kernel or library with this name.
  bool offers(std::string_view kernel) const { return target_.kernels.contains(kernel); }
  /// Target::is_gpu.
  bool is_for_gpu() const { return target_.is_gpu; }
  /// Writes the node as a custom call if the target has the kernel and kernels support its types; returns true if so.
  bool call_kernel(const Node& node, const KernelCall& call);
  /// The same for a call by which processes exchange arrays. All processes make these calls in the same order: each
  /// call takes a number that the previous one returned, and returns one for the next.
  /// errors  UsageError if kernels do not support the types of the node, because there is no other implementation
  bool call_in_order(const Node& node, const KernelCall& call);
  /// Number of such calls so far.
  int64_t calls_in_order() const { return calls_in_order_; }
  /// Makes later calls wait for a loop that contains such calls.
  /// errors  UsageError unless its first result is an int32 scalar
  void order_after(const Node& loop);
  /// The text of a region: a function from `arguments` (parameters) to `results`. The region can use all values written
  /// so far; values written in it are not visible outside.
  std::string region(std::span<const Value> arguments, std::span<const Value> results);
  /// The mesh of the function.
  const Mesh& mesh() const { return mesh_; }
  /// True if the devices of the mesh are processes: Target::across_processes.
  bool across_processes() const { return target_.across_processes; }
  /// A unique number in the module, for an operation by which devices communicate.
  int64_t new_channel() { return ++channels_; }
  /// Replaces the results of the node by `values`, which are written first.
  void substitute(const Node& node, Values values);

 private:
  std::vector<std::string> operand_names(std::span<const Value> operands) const;
  std::vector<std::string> write_call(const KernelCall& call, std::vector<std::string> operands, Types operand_types,
                                      const Types& result_types);

  const Target& target_;
  const Mesh& mesh_;
  stablehlo::Writer& writer_;
  const LiveValues live_;
  std::unordered_map<const Node*, std::vector<std::string>> names_;
  int64_t channels_ = 0;
  int64_t calls_in_order_ = 0;
  std::string last_in_order_;        // number returned by the last call in order; empty before the first
  std::vector<Values> substituted_;  // keeps their nodes alive: names_ knows nodes by address
};

/// The text of a kernel's attribute of type float: "1.000000000e-05 : f32".
std::string f32_attribute(double value);
std::string i64_attribute(int64_t value);

}  // namespace portatune
