#include "portatune/graph/ops/shapes/broadcast.h"

#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// broadcast_to(x, shape): x repeated along new leading axes and along its axes of size 1.
//   shape     each axis of x, aligned at the end, has size 1 or that of `shape`
//   gradient  the sum over the repeated axes
//   lowering  stablehlo.broadcast_in_dim
struct BroadcastTo final : Op {
  const Shape shape;
  explicit BroadcastTo(Shape shape) : shape(std::move(shape)) {}

  std::string_view name() const override { return "broadcast_to"; }

  // The axis of the result that is axis i of x.
  int64_t aligned(const Value& x, int64_t i) const { return shape.rank() - x.rank() + i; }

  Types infer(std::span<const Value> inputs) const override {
    require(broadcasts_to(inputs[0].shape(), shape), name(), inputs,
            "from the last axis on, each size is 1 or that of the result", " to " + to_string(shape));
    return {{inputs[0].dtype(), shape}};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value& x = node.input(0);
    std::vector<int64_t> repeated;
    for (int64_t axis = 0; axis < shape.rank(); ++axis) {
      const int64_t i = axis - (shape.rank() - x.rank());
      if (i < 0 || x.shape()[i] != shape[axis]) repeated.push_back(axis);
    }
    return {reshape(sum(dresults[0], repeated), x.shape())};
  }

  void lower(const Node& node, Lowering& out) const override {
    std::vector<int64_t> dimensions;
    for (int64_t i = 0; i < node.input(0).rank(); ++i) dimensions.push_back(aligned(node.input(0), i));
    out.write(node, "stablehlo.broadcast_in_dim", {{"broadcast_dimensions", stablehlo::array_text(dimensions)}});
  }
};

}  // namespace

bool broadcasts_to(const Shape& from, const Shape& to) {
  const int64_t new_axes = to.rank() - from.rank();
  bool fits = new_axes >= 0;
  for (int64_t i = 0; fits && i < from.rank(); ++i) fits = from[i] == 1 || from[i] == to[new_axes + i];
  return fits;
}

Value broadcast_to(const Value& x, const Shape& shape) {
  return x.shape() == shape ? x : make_node<BroadcastTo>({x}, shape);
}

Values broadcast_together(std::string_view op, const Values& values) {
  int64_t rank = 0;
  for (const Value& value : values) rank = std::max(rank, value.rank());
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  for (const Value& value : values) {
    require(value.dtype() == values[0].dtype(), op, values, "one element type", "", "convert() one of them");
    for (int64_t i = 0; i < value.rank(); ++i) {
      int64_t& size = shape[rank - value.rank() + i];
      require(size == 1 || value.shape()[i] == 1 || value.shape()[i] == size, op, values,
              "from the last axis on, equal sizes or size 1");
      if (size == 1) size = value.shape()[i];
    }
  }
  Values result;
  for (const Value& value : values) result.push_back(broadcast_to(value, shape));
  return result;
}

}  // namespace portatune
