#include <algorithm>
#include <limits>
#include <numeric>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

enum class Reducer { kSum, kMax };

Shape without(const Shape& shape, const std::vector<int64_t>& axes) {
  Shape rest;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (!std::ranges::binary_search(axes, axis)) rest.push_back(shape[axis]);
  }
  return rest;
}

Shape with_ones(Shape shape, const std::vector<int64_t>& axes) {
  for (const int64_t axis : axes) shape[axis] = 1;
  return shape;
}

// The lowest number of the type.
double lowest(const Value& x) {
  if (is_float(x.dtype())) return -std::numeric_limits<double>::infinity();
  require(x.dtype() == DType::kInt32 || x.dtype() == DType::kUInt32, "max", {&x, 1}, "a float type, int32 or uint32");
  return x.dtype() == DType::kInt32 ? std::numeric_limits<int32_t>::min() : 0;
}

// sum(x, axes), max(x, axes): over `axes`, which are dropped.
//   shape     the other axes
//   gradient  sum: dy along the axes; max: dy shared by the elements that are the maximum
//   lowering  stablehlo.reduce; sums in float32 or more, because in 16 bits plugins may round after each term. The
//             kernel portatune.column_sums for float sums over the leading axes, such as the gradient of a bias, for
//             which the CPU's plugin generates slow loops
struct Reduce final : Op {
  const Reducer reducer;
  const std::vector<int64_t> axes;  // sorted
  Reduce(Reducer reducer, std::vector<int64_t> axes) : reducer(reducer), axes(std::move(axes)) {}

  std::string_view name() const override { return reducer == Reducer::kSum ? "sum" : "max"; }
  Types infer(std::span<const Value> inputs) const override {
    return {{inputs[0].dtype(), without(inputs[0].shape(), axes)}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value& x = node.input(0);
    const Shape kept = with_ones(x.shape(), axes);
    const Value dx = broadcast_to(reshape(dresults[0], kept), x.shape());
    if (reducer == Reducer::kSum) return {dx, Value()};
    const Value is_maximum = convert(compare(Direction::kEqual, x, max(x, axes, ReducedAxes::kKeep)), x.dtype());
    return {dx * is_maximum / sum(is_maximum, axes, ReducedAxes::kKeep), Value()};
  }
  void lower(const Node& node, Lowering& out) const override {
    const Value& x = node.input(0);
    if (adds_up_columns(x) && out.call_kernel(node, {.target = "portatune.column_sums", .operands = {x}})) return;
    if (reducer == Reducer::kSum && is_float(x.dtype()) && size_of(x.dtype()) < 4) {
      return out.substitute(node, {convert(sum(convert(x, DType::kFloat32), axes), x.dtype())});
    }
    const char* step = reducer == Reducer::kSum ? "stablehlo.add" : "stablehlo.maximum";
    out.write(node, "stablehlo.reduce", {{"dimensions", stablehlo::array_text(axes)}},
              stablehlo::binary_region(step, x.dtype()));
  }

 private:
  bool adds_up_columns(const Value& x) const {
    const auto count = std::ssize(axes);
    return reducer == Reducer::kSum && is_float(x.dtype()) && count < x.rank() && axes.back() == count - 1;
  }
};

Value reduce(Reducer reducer, const Value& x, std::vector<int64_t> axes, ReducedAxes reduced) {
  const bool is_sum = reducer == Reducer::kSum;
  axes = normalise_axes(is_sum ? "sum" : "max", axes, x);
  if (axes.empty()) return x;
  const double start = is_sum ? 0 : lowest(x);
  const Value result = make_node<Reduce>({x, full({x.dtype(), {}}, start)}, reducer, axes);
  return reduced == ReducedAxes::kDrop ? result : reshape(result, with_ones(x.shape(), axes));
}

}  // namespace

Value sum(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced) {
  return reduce(Reducer::kSum, x, std::move(axes), reduced);
}

Value max(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced) {
  return reduce(Reducer::kMax, x, std::move(axes), reduced);
}

Value mean(const Value& x, std::vector<int64_t> axes, ReducedAxes reduced) {
  int64_t count = 1;
  for (const int64_t axis : normalise_axes("mean", axes, x)) count *= x.shape()[axis];
  return sum(x, std::move(axes), reduced) / static_cast<double>(count);
}

Value argmax(const Value& x, int64_t axis) {
  axis = normalise_axis("argmax", axis, x);
  const Value is_largest = compare(Direction::kEqual, x, max(x, {axis}, ReducedAxes::kKeep));
  // The first index has the greatest distance from the end. In a row with a NaN no element equals the maximum, and the
  // result is the last index.
  const Value size = full({DType::kInt32, {}}, static_cast<double>(x.shape()[axis])), one = full(size.type(), 1);
  const Value from_end = select(is_largest, size - iota({DType::kInt32, x.shape()}, axis), one);
  return size - max(from_end, {axis});
}

Value cumulative_sum(const Value& x) {
  require(x.rank() > 0, "cumulative_sum", {&x, 1}, "an array [..., size]");
  const int64_t size = x.shape().back(), axis = x.rank() - 1;
  const TensorType square{DType::kInt32, {size, size}};
  const Value up_to = compare(Direction::kLessEqual, iota(square, 0), iota(square, 1));
  const Value sums = dot_general(convert(x, DType::kFloat32), convert(up_to, DType::kFloat32),
                                 {.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {axis}, .rhs_contracting = {0}});
  return convert(sums, x.dtype());
}

Value sum(const Value& x) {
  std::vector<int64_t> axes(static_cast<size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return sum(x, axes);
}

}  // namespace portatune
