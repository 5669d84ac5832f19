#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

bool equal_except(Shape x, Shape y, int64_t axis) {
  if (x.rank() != y.rank()) return false;
  x[axis] = y[axis] = 0;
  return x == y;
}

// concatenate({x0, x1, ...}, axis): the inputs joined along `axis`.
//   shape     sizes on `axis` add up; all other sizes agree
//   gradient  each input receives its own slice of dy
//   lowering  stablehlo.concatenate
struct Concatenate final : Op {
  const int64_t axis;
  explicit Concatenate(int64_t axis) : axis(axis) {}

  std::string_view name() const override { return "concatenate"; }
  Types infer(std::span<const Value> inputs) const override {
    TensorType result = inputs[0].type();
    for (const Value& input : inputs.subspan(1)) {
      require(input.dtype() == result.dtype, name(), inputs, "one element type", "", "convert() one of them");
      require(equal_except(input.shape(), inputs[0].shape(), axis), name(), inputs, "equal sizes on every other axis",
              " on axis " + std::to_string(axis), "pad or slice the inputs to one size, or check the axis");
      result.shape[axis] += input.shape()[axis];
    }
    return {result};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    Values dinputs;
    int64_t begin = 0;
    for (const Value& input : node.inputs()) {
      const int64_t size = input.shape()[axis];
      dinputs.push_back(slice(dresults[0], axis, {begin, begin + size}));
      begin += size;
    }
    return dinputs;
  }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.concatenate", {{"dimension", i64_attribute(axis)}});
  }
};

}  // namespace

Value concatenate(const Values& inputs, int64_t axis) {
  require(!inputs.empty(), "concatenate", inputs, "at least one input");
  return make_node<Concatenate>(inputs, normalise_axis("concatenate", axis, inputs[0]));
}

}  // namespace portatune
