#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// adamw(p, m, v, g, hyper): one step; hyper = {lr, 1/(1-beta1^t), 1/(1-beta2^t), factor of g, 1 to update or 0 not to}.
// A sixth element is the weight decay, in place of that of the options.
//   shape     that of p, three times
//   gradient  none
//   lowering  the kernel portatune.adamw, which works in place
struct AdamW final : Composite {
  const AdamWOptions options;
  explicit AdamW(const AdamWOptions& options) : options(options) {}

  std::string_view name() const override { return "adamw"; }

  Types infer(std::span<const Value> in) const override {
    const TensorType& type = in[0].type();
    require(type.dtype == DType::kFloat32 && in[1].type() == type && in[2].type() == type && in[3].type() == type,
            name(), in, "a float32 parameter and m, v and a gradient of its type");
    const bool fits = in[4].type() == TensorType{DType::kFloat32, {5}} || has_decay(in[4]);
    require(fits, name(), in, "hyper-parameters float32[5] or float32[6]");
    return {type, type, type};
  }

  Values decompose(std::span<const Value> in) const override {
    const auto hyper = [&](int64_t i) { return reshape(slice(in[4], 0, {i, i + 1}), {}); };
    const Value lr = hyper(0), gradient = in[3] * hyper(3);
    const Value m = options.beta1 * in[1] + (1 - options.beta1) * gradient;
    const Value v = options.beta2 * in[2] + (1 - options.beta2) * gradient * gradient;
    const Value decayed = in[0] * (1.0 - (has_decay(in[4]) ? lr * hyper(5) : lr * options.weight_decay));
    const Value p = decayed - lr * (m * hyper(1)) / (sqrt(v * hyper(2)) + options.eps);
    const Value make = broadcast_to(compare(Direction::kNotEqual, hyper(4), full(lr.type(), 0)), in[0].shape());
    return {select(make, p, in[0]), select(make, m, in[1]), select(make, v, in[2])};
  }

  Values gradient(const Node& node, std::span<const Value>) const override { return Values(node.inputs().size()); }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.adamw",
            .attributes = {{"beta1", f32_attribute(options.beta1)},
                           {"beta2", f32_attribute(options.beta2)},
                           {"eps", f32_attribute(options.eps)},
                           {"weight_decay", f32_attribute(options.weight_decay)}},
            .in_place = {{0, 0}, {1, 1}, {2, 2}}};
  }

 private:
  static bool has_decay(const Value& hyper) { return hyper.type() == TensorType{DType::kFloat32, {6}}; }
};

}  // namespace

AdamWState adamw(const AdamWState& state, const Value& gradient, const Value& hyper, const AdamWOptions& options) {
  const Values results =
      make_nodes(std::make_unique<AdamW>(options), {state.parameter, state.m, state.v, gradient, hyper});
  return {results[0], results[1], results[2]};
}

}  // namespace portatune
