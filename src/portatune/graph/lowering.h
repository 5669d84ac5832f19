// From a graph to StableHLO text. Included by the ops.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "portatune/graph.h"
#include "portatune/stablehlo/writer.h"

namespace portatune {

/// Names and MLIR texts of an operation's attributes.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// A custom call in place of a composite's decomposition.
struct KernelCall {
  std::string_view target;     ///< "portatune.linear"
  Attributes attributes = {};  ///< typed as the handler binds them
  Values operands = {};        ///< if empty, the inputs of the node
  /// Pairs (result, operand) that share memory: the kernel works in place.
  std::vector<std::pair<size_t, size_t>> in_place = {};
  bool moves_bytes = false;  ///< of whatever type; else the kernel takes the types that kernels compute with
};

/// Writes nodes in an order in which every operand comes before its use.
class Lowering {
 public:
  Lowering(const Target& target, const Mesh& mesh, stablehlo::Writer& writer)
      : target_(target), mesh_(mesh), writer_(writer) {}

  /// Gives a value that the writer has not made (an argument of the program) its name. UsageError if it has one.
  void bind(const Value& value, std::string name);
  /// Writes all that `values` need and has not been written yet.
  void require(std::span<const Value> values);
  /// The name of a value; it must have been required.
  const std::string& name_of(const Value& value) const;

  // For Op::lower:

  /// Writes the node as the operation `name`, its inputs being the operands.
  void write(const Node& node, std::string_view name, Attributes attributes = {}, std::string region = {});
  /// The same with other operands.
  void write(const Node& node, std::span<const Value> operands, std::string_view name, Attributes attributes = {},
             std::string region = {});
  /// Whether the target has a kernel or library of this name.
  bool offers(std::string_view kernel) const { return target_.kernels.contains(kernel); }
  /// Writes the node as a custom call if the target has that kernel and kernels take its types; says whether it did.
  bool call_kernel(const Node& node, const KernelCall& call);
  /// The same for a call by which processes exchange arrays, all in one order: it gets a number that the call before
  /// has made, and makes one for the next.
  /// errors  UsageError if kernels do not take the types of the node, for which there is no other way
  bool call_in_order(const Node& node, const KernelCall& call);
  /// How many such calls there are so far.
  int64_t calls_in_order() const { return calls_in_order_; }
  /// After a loop with such calls in it: what comes later waits for the loop.
  /// errors  UsageError unless its first result is an int32 scalar
  void order_after(const Node& loop);
  /// The text of a region: a function of `arguments` (values that nothing makes) that gives `results`. It sees all that
  /// has been written so far; what is written in it is not known outside.
  std::string region(std::span<const Value> arguments, std::span<const Value> results);
  /// Of the function.
  const Mesh& mesh() const { return mesh_; }
  /// Whether the devices of the mesh are processes: Target::across_processes.
  bool across_processes() const { return target_.across_processes; }
  /// A number that nothing else in the module has, for an operation by which devices communicate.
  int64_t new_channel() { return ++channels_; }
  /// Makes the results of the node stand for `values`, which are written first.
  void substitute(const Node& node, Values values);

 private:
  std::vector<std::string> operand_names(std::span<const Value> operands) const;
  std::vector<std::string> write_call(const KernelCall& call, std::vector<std::string> operands, Types operand_types,
                                      const Types& result_types);

  const Target& target_;
  const Mesh& mesh_;
  stablehlo::Writer& writer_;
  std::unordered_map<const Node*, std::vector<std::string>> names_;
  int64_t channels_ = 0;
  int64_t calls_in_order_ = 0;
  std::string last_in_order_;        // the number that the last call in order has made; empty before the first
  std::vector<Values> substituted_;  // keeps their nodes alive: names_ knows nodes by address
};

/// "1.000000000e-05 : f32", as a kernel's attribute of type float is written.
std::string f32_attribute(double value);
std::string i64_attribute(int64_t value);

}  // namespace portatune
