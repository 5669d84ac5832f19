#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// reshape(x, shape): the same elements in row-major order.
//   shape     as many elements as x
//   gradient  dy in the shape of x
//   lowering  stablehlo.reshape
struct Reshape final : Op {
  const Shape shape;
  explicit Reshape(Shape shape) : shape(std::move(shape)) {}

  std::string_view name() const override { return "reshape"; }
  Types infer(std::span<const Value> inputs) const override {
    require(inputs[0].shape().elements() == shape.elements(), name(), inputs, "the same number of elements",
            " to " + to_string(shape));
    return {{inputs[0].dtype(), shape}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {reshape(dresults[0], node.input(0).shape())};
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, "stablehlo.reshape"); }
};

}  // namespace

Value reshape(const Value& x, Shape shape) {
  const auto open = std::ranges::find(shape, -1);
  if (open != shape.end()) {
    const int64_t axis = open - shape.begin();
    shape[axis] = 1;
    if (const int64_t others = shape.elements(); others > 0) shape[axis] = x.shape().elements() / others;
  }
  return x.shape() == shape ? x : make_node<Reshape>({x}, shape);
}

Value expand_dims(const Value& x, int64_t axis) {
  Shape shape = x.shape();
  require(-x.rank() - 1 <= axis && axis <= x.rank(), "expand_dims", {&x, 1}, "an axis of the result",
          " and axis " + std::to_string(axis));
  shape.insert(axis < 0 ? axis + x.rank() + 1 : axis, 1);
  return reshape(x, shape);
}

}  // namespace portatune
