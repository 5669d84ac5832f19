#include "portatune/graph/ops/known_gradients.h"

#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// with_gradients(y, x..., dx...): y.
//   shape     that of y, a scalar
//   gradient  of each x: dx times the gradient of y
//   lowering  none: it disappears
struct WithGradients final : Op {
  std::string_view name() const override { return "with_gradients"; }
  Types infer(std::span<const Value> inputs) const override {
    require(inputs[0].type() == TensorType{DType::kFloat32, {}}, name(), inputs.first(1), "a float32 scalar");
    const auto x = inputs.subspan(1, inputs.size() / 2), dx = inputs.last(x.size());
    require(1 + 2 * x.size() == inputs.size() && std::ranges::equal(x, dx, {}, &Value::type, &Value::type), name(),
            inputs.subspan(1), "a gradient of the type of each value");
    return {inputs[0].type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const size_t count = node.inputs().size() / 2;
    Values dinputs(node.inputs().size());
    for (size_t i = 1; i <= count; ++i) {
      const Value& dx = node.input(count + i);
      dinputs[i] = convert(convert(dx, DType::kFloat32) * dresults[0], dx.dtype());
    }
    return dinputs;
  }
  void lower(const Node& node, Lowering& out) const override { out.substitute(node, {node.input(0)}); }
};

}  // namespace

Value with_gradients(const Value& y, const Values& x, const Values& dx) {
  Values inputs{y};
  inputs.insert(inputs.end(), x.begin(), x.end());
  inputs.insert(inputs.end(), dx.begin(), dx.end());
  return make_node<WithGradients>(std::move(inputs));
}

bool is_with_gradients(const Op& op) { return dynamic_cast<const WithGradients*>(&op) != nullptr; }

}  // namespace portatune
