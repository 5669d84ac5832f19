#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// `start` along one axis, and 0 along the others.
Values starts(const Value& x, int64_t axis, const Value& start) {
  Values all(static_cast<size_t>(x.rank()), full({DType::kInt32, {}}, 0));
  all[static_cast<size_t>(axis)] = start;
  return all;
}

void require_scalar(std::string_view op, std::span<const Value> starts) {
  for (const Value& start : starts) {
    require(start.type() == TensorType{DType::kInt32, {}}, op, {&start, 1}, "a start that is an int32 scalar");
  }
}

// dynamic_slice(x, starts...): elements from a start that is known at run time.
//   shape     `size` on the axis
//   gradient  dy written into zeros
//   lowering  stablehlo.dynamic_slice
struct DynamicSlice final : Op {
  const int64_t axis, size;
  DynamicSlice(int64_t axis, int64_t size) : axis(axis), size(size) {}

  std::string_view name() const override { return "dynamic_slice"; }
  Types infer(std::span<const Value> inputs) const override {
    require_scalar(name(), inputs.subspan(1));
    Shape shape = inputs[0].shape();
    require(0 <= size && size <= shape[axis], name(), inputs.first(1), "a size within the axis",
            " and size " + std::to_string(size) + " on axis " + std::to_string(axis));
    shape[axis] = size;
    return {{inputs[0].dtype(), shape}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value start = node.input(static_cast<size_t>(axis) + 1);
    Values dinputs(node.inputs().size());
    dinputs[0] = dynamic_update_slice(full(node.input(0).type(), 0), dresults[0], axis, start);
    return dinputs;
  }
  void lower(const Node& node, Lowering& out) const override {
    const Shape& shape = node.types()[0].shape;
    out.write(node, "stablehlo.dynamic_slice", {{"slice_sizes", stablehlo::array_text({shape.begin(), shape.end()})}});
  }
};

// dynamic_update_slice(x, update, starts...): x with a part of it replaced.
//   shape     that of x
//   gradient  to x: dy, but zero in that part; to the update: that part of dy
//   lowering  stablehlo.dynamic_update_slice
struct DynamicUpdateSlice final : Op {
  const int64_t axis;
  explicit DynamicUpdateSlice(int64_t axis) : axis(axis) {}

  std::string_view name() const override { return "dynamic_update_slice"; }
  Types infer(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &update = inputs[1];
    require_scalar(name(), inputs.subspan(2));
    Shape shape = update.shape();
    const bool fits = update.rank() == x.rank() && shape[axis] <= x.shape()[axis];
    if (fits) shape[axis] = x.shape()[axis];
    require(fits && shape == x.shape() && update.dtype() == x.dtype(), name(), inputs.first(2),
            "an update like x, but at most as long on axis " + std::to_string(axis));
    return {x.type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &update = node.input(1), &start = node.input(static_cast<size_t>(axis) + 2);
    Values dinputs(node.inputs().size());
    dinputs[0] = dynamic_update_slice(dresults[0], full(update.type(), 0), axis, start);
    dinputs[1] = dynamic_slice(dresults[0], axis, start, update.shape()[axis]);
    return dinputs;
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, "stablehlo.dynamic_update_slice"); }
};

}  // namespace

Value dynamic_slice(const Value& x, int64_t axis, const Value& start, int64_t size) {
  axis = normalise_axis("dynamic_slice", axis, x);
  Values inputs = starts(x, axis, start);
  inputs.insert(inputs.begin(), x);
  return make_node<DynamicSlice>(inputs, axis, size);
}

Value dynamic_update_slice(const Value& x, const Value& update, int64_t axis, const Value& start) {
  axis = normalise_axis("dynamic_update_slice", axis, x);
  Values inputs = starts(x, axis, start);
  inputs.insert(inputs.begin(), {x, update});
  return make_node<DynamicUpdateSlice>(inputs, axis);
}

}  // namespace portatune
