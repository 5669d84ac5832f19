#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// layer_norm_grad(dy, x, gamma, mean, rstd): with n = (x - mean) rstd and g = dy gamma,
//   dx = rstd (g - mean(g) - n mean(g n)), dgamma = sum over rows of dy n, dbeta = sum over rows of dy.
//   shape     that of x; [size]; [size]
//   lowering  the kernel portatune.layer_norm_grad
struct LayerNormGrad final : Composite {
  std::string_view name() const override { return "layer_norm_grad"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value dy = convert(inputs[0], DType::kFloat32), x = convert(inputs[1], DType::kFloat32);
    const Value &gamma = inputs[2], mean_x = expand_dims(inputs[3], -1), rstd = expand_dims(inputs[4], -1);
    const Value n = (x - mean_x) * rstd, g = dy * gamma;
    const Value dx = rstd * (g - mean(g, {-1}, ReducedAxes::kKeep) - n * mean(g * n, {-1}, ReducedAxes::kKeep));
    std::vector<int64_t> rows;
    for (int64_t axis = 0; axis + 1 < x.rank(); ++axis) rows.push_back(axis);
    return {convert(dx, inputs[1].dtype()), sum(dy * n, rows), sum(dy, rows)};
  }
  // XLA computes dx again in each fusion that uses it, unless a barrier comes after it.
  std::optional<Values> for_target(const Node& node, const Lowering& lowering) const override {
    if (!lowering.is_for_gpu()) return {};
    Values results = decompose(node.inputs());
    results[0] = optimization_barrier({results[0]})[0];
    return results;
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.layer_norm_grad"}; }
};

// layer_norm(x, gamma, beta): rows of zero mean and unit variance, scaled and shifted; also the rows' means and
// reciprocal deviations for the gradient.
//   shape     that of x; without the last axis; the same
//   gradient  layer_norm_grad
//   lowering  the kernel portatune.layer_norm
struct LayerNorm final : Composite {
  const double eps;
  explicit LayerNorm(double eps) : eps(eps) {}

  std::string_view name() const override { return "layer_norm"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    require(is_float(x.dtype()) && x.rank() > 0, name(), inputs, "x [..., size] of a float type as first operand");
    const TensorType scale{DType::kFloat32, {x.shape().back()}};
    require(inputs[1].type() == scale && inputs[2].type() == scale, name(), inputs,
            "float32 gamma and beta [size], `size` being the last size of x");
    Shape rows = x.shape();
    rows.erase(rows.rank() - 1);
    return {x.type(), {DType::kFloat32, rows}, {DType::kFloat32, rows}};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const Value x = convert(inputs[0], DType::kFloat32);
    const Values stats = statistics(x);
    return {scaled(inputs, x, stats), stats[0], stats[1]};
  }
  // XLA computes the statistics again in each fusion of the backward pass, unless a barrier comes after them.
  std::optional<Values> for_target(const Node& node, const Lowering& lowering) const override {
    if (!lowering.is_for_gpu()) return {};
    const Value x = convert(node.input(0), DType::kFloat32);
    const Values stats = optimization_barrier(statistics(x));
    return Values{scaled(node.inputs(), x, stats), stats[0], stats[1]};
  }

  // The means of the rows and their reciprocal deviations.
  Values statistics(const Value& x) const {
    const Value mean_x = mean(x, {-1});
    const Value centred = x - expand_dims(mean_x, -1);
    return {mean_x, rsqrt(mean(centred * centred, {-1}) + eps)};
  }
  static Value scaled(std::span<const Value> inputs, const Value& x, const Values& stats) {
    const Value n = (x - expand_dims(stats[0], -1)) * expand_dims(stats[1], -1);
    return convert(n * inputs[1] + inputs[2], inputs[0].dtype());
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1] && !dresults[2], name(), node.inputs(), "a gradient for the first result only");
    return make_nodes(std::make_unique<LayerNormGrad>(),
                      {dresults[0], node.input(0), node.input(1), node.result(1), node.result(2)});
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.layer_norm", .attributes = {{"eps", f32_attribute(eps)}}};
  }
};

}  // namespace

Value layer_norm(const Value& x, const Value& gamma, const Value& beta, double eps) {
  return make_node<LayerNorm>({x, gamma, beta}, eps);
}

}  // namespace portatune
