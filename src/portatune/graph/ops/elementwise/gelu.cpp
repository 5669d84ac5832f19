#include <cmath>
#include <numbers>

#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

constexpr double kSqrt2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double kCubic = 0.044715;

Attributes attributes_of(GeluForm form) { return {{"approximate", form == GeluForm::kTanh ? "true" : "false"}}; }

// Phi(x) by erf, or its approximation by tanh.
Value cdf(const Value& x, GeluForm form) {
  if (form == GeluForm::kErf) return 0.5 * (1.0 + erf(x * std::numbers::sqrt2 * 0.5));
  return 0.5 * (1.0 + tanh(kSqrt2OverPi * (x + kCubic * x * x * x)));
}

// gelu_grad(x, dy): dy (Phi(x) + x Phi'(x)).
//   shape     that of x
//   lowering  the kernel portatune.gelu_grad
struct GeluGrad final : Composite {
  const GeluForm form;
  explicit GeluGrad(GeluForm form) : form(form) {}

  std::string_view name() const override { return "gelu_grad"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value x = convert(inputs[0], DType::kFloat32), dy = convert(inputs[1], DType::kFloat32);
    const Value phi = cdf(x, form);
    const Value slope = form == GeluForm::kErf ? exp(-0.5 * x * x) * (kSqrt2OverPi / 2)
                                               // d/dx of the tanh form: 2 Phi (1 - Phi) is half of 1 - tanh^2
                                               : 2.0 * phi * (1.0 - phi) * kSqrt2OverPi * (1.0 + 3 * kCubic * x * x);
    return {convert(dy * (phi + x * slope), inputs[0].dtype())};
  }
  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.gelu_grad", .attributes = attributes_of(form)};
  }
};

// gelu(x): x Phi(x), computed in float32.
//   shape     that of x
//   gradient  gelu_grad
//   lowering  the kernel portatune.gelu
struct Gelu final : Composite {
  const GeluForm form;
  explicit Gelu(GeluForm form) : form(form) {}

  std::string_view name() const override { return "gelu"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value x = convert(inputs[0], DType::kFloat32);
    return {convert(x * cdf(x, form), inputs[0].dtype())};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {make_node<GeluGrad>({node.input(0), dresults[0]}, form)};
  }
  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.gelu", .attributes = attributes_of(form)};
  }
};

}  // namespace

Value gelu(const Value& x, GeluForm form) { return make_node<Gelu>({x}, form); }

}  // namespace portatune
