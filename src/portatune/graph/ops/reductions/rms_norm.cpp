#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// rms_norm_grad(dy, x, weight, rstd): with n = x rstd and g = dy weight,
//   dx = rstd (g - n mean(g n)), dweight = sum over rows of dy n.
//   shape     that of x; [size]
//   lowering  the kernel portatune.rms_norm_grad
struct RmsNormGrad final : Composite {
  std::string_view name() const override { return "rms_norm_grad"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value dy = convert(inputs[0], DType::kFloat32), x = convert(inputs[1], DType::kFloat32);
    const Value &weight = inputs[2], rstd = expand_dims(inputs[3], -1);
    const Value n = x * rstd, g = dy * weight;
    const Value dx = rstd * (g - n * mean(g * n, {-1}, ReducedAxes::kKeep));
    std::vector<int64_t> rows;
    for (int64_t axis = 0; axis + 1 < x.rank(); ++axis) rows.push_back(axis);
    return {convert(dx, inputs[1].dtype()), sum(dy * n, rows)};
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.rms_norm_grad"}; }
};

// rms_norm(x, weight): rows of unit mean square, scaled; also the reciprocal roots for the gradient.
//   shape     that of x; without the last axis
//   gradient  rms_norm_grad
//   lowering  the kernel portatune.rms_norm
struct RmsNorm final : Composite {
  const double eps;
  const RmsNormRounding rounding;
  RmsNorm(double eps, RmsNormRounding rounding) : eps(eps), rounding(rounding) {}

  std::string_view name() const override { return "rms_norm"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    require(is_float(x.dtype()) && x.rank() > 0, name(), inputs, "x [..., size] of a float type as first operand");
    require(inputs[1].type() == TensorType{DType::kFloat32, {x.shape().back()}}, name(), inputs,
            "a float32 weight [size], `size` being the last size of x");
    Shape rows = x.shape();
    rows.erase(rows.rank() - 1);
    return {x.type(), {DType::kFloat32, rows}};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const DType dtype = inputs[0].dtype();
    const Value x = convert(inputs[0], DType::kFloat32);
    const Value rstd = rsqrt(mean(x * x, {-1}) + eps);
    const Value exact = x * expand_dims(rstd, -1);
    const Value n = rounds_first() ? convert(convert(exact, dtype), DType::kFloat32) : exact;
    return {convert(n * inputs[1], dtype), rstd};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1], name(), node.inputs(), "a gradient for the first result only");
    return make_nodes(std::make_unique<RmsNormGrad>(), {dresults[0], node.input(0), node.input(1), node.result(1)});
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.rms_norm",
            .attributes = {{"eps", f32_attribute(eps)}, {"rounds_first", rounds_first() ? "true" : "false"}}};
  }

  bool rounds_first() const { return rounding == RmsNormRounding::kBeforeWeight; }
};

}  // namespace

Value rms_norm(const Value& x, const Value& weight, double eps, RmsNormRounding rounding) {
  return make_node<RmsNorm>({x, weight}, eps, rounding);
}

}  // namespace portatune
