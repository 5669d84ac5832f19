#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// constant(values): an array that is known when the graph is built. Large data belong in parameters.
//   lowering  stablehlo.constant
struct Constant final : Op {
  const Tensor values;
  explicit Constant(Tensor values) : values(std::move(values)) {}

  std::string_view name() const override { return "constant"; }
  Types infer(std::span<const Value>) const override { return {values.type()}; }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.constant", {{"value", stablehlo::dense_text(values.view())}});
  }
};

// full(type, value): one number everywhere.
//   lowering  stablehlo.constant with a splat
struct Full final : Op {
  const TensorType type;
  const double value;
  Full(TensorType type, double value) : type(std::move(type)), value(value) {}

  std::string_view name() const override { return "full"; }
  Types infer(std::span<const Value>) const override { return {type}; }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.constant", {{"value", stablehlo::splat_text(type, value)}});
  }
};

}  // namespace

Value constant(Tensor values) { return make_node<Constant>({}, std::move(values)); }
Value full(TensorType type, double value) { return make_node<Full>({}, std::move(type), value); }

}  // namespace portatune
