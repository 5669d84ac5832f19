#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// convert(x, dtype): the same numbers in another element type.
//   gradient  dy converted back, between float types
//   lowering  stablehlo.convert
struct Convert final : Op {
  const DType dtype;
  explicit Convert(DType dtype) : dtype(dtype) {}

  std::string_view name() const override { return "convert"; }
  Types infer(std::span<const Value> inputs) const override { return {{dtype, inputs[0].shape()}}; }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const DType from = node.input(0).dtype();
    return {is_float(from) && is_float(dtype) ? convert(dresults[0], from) : Value()};
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, "stablehlo.convert"); }
};

// stop_gradient(x): x without a gradient. It disappears in lowering.
struct StopGradient final : Op {
  std::string_view name() const override { return "stop_gradient"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  void lower(const Node& node, Lowering& out) const override { out.substitute(node, node.inputs()); }
};

}  // namespace

Value convert(const Value& x, DType dtype) { return x.dtype() == dtype ? x : make_node<Convert>({x}, dtype); }
Value stop_gradient(const Value& x) { return make_node<StopGradient>({x}); }

}  // namespace portatune
