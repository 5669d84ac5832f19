#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// slice(x, axis, {begin, end}): elements begin..end-1 along `axis`.
//   shape     end - begin on `axis`
//   gradient  dy with zeros around it
//   lowering  stablehlo.slice
struct Slice final : Op {
  const int64_t axis;
  const Range range;
  Slice(int64_t axis, Range range) : axis(axis), range(range) {}

  std::string_view name() const override { return "slice"; }
  Types infer(std::span<const Value> inputs) const override {
    const Shape& given = inputs[0].shape();
    require(0 <= range.begin && range.begin <= range.end && range.end <= given[axis], name(), inputs,
            "a range within the axis",
            " and range " + std::to_string(range.begin) + ".." + std::to_string(range.end) + " on axis " +
                std::to_string(axis));
    Shape shape = given;
    shape[axis] = range.end - range.begin;
    return {{inputs[0].dtype(), shape}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {pad(dresults[0], axis, range.begin, node.input(0).shape()[axis] - range.end)};
  }
  void lower(const Node& node, Lowering& out) const override {
    const Shape& shape = node.input(0).shape();
    std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0), strides(start.size(), 1);
    std::vector<int64_t> limit(shape.begin(), shape.end());
    start[static_cast<size_t>(axis)] = range.begin;
    limit[static_cast<size_t>(axis)] = range.end;
    out.write(node, "stablehlo.slice",
              {{"start_indices", stablehlo::array_text(start)},
               {"limit_indices", stablehlo::array_text(limit)},
               {"strides", stablehlo::array_text(strides)}});
  }
};

// pad(x, axis, low, high): zeros before and after x along `axis`.
//   shape     grows by low + high on `axis`
//   gradient  the part of dy at the position of x
//   lowering  stablehlo.pad
struct Pad final : Op {
  const int64_t axis, low, high;
  Pad(int64_t axis, int64_t low, int64_t high) : axis(axis), low(low), high(high) {}

  std::string_view name() const override { return "pad"; }
  Types infer(std::span<const Value> inputs) const override {
    require(low >= 0 && high >= 0, name(), {&inputs[0], 1}, "no negative padding",
            " padded by " + std::to_string(low) + " and " + std::to_string(high));
    Shape shape = inputs[0].shape();
    shape[axis] += low + high;
    return {{inputs[0].dtype(), shape}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {slice(dresults[0], axis, {low, low + node.input(0).shape()[axis]}), Value()};
  }
  void lower(const Node& node, Lowering& out) const override {
    const std::vector<int64_t> none(static_cast<size_t>(node.input(0).rank()), 0);
    std::vector<int64_t> before = none, after = none;
    before[static_cast<size_t>(axis)] = low;
    after[static_cast<size_t>(axis)] = high;
    out.write(node, "stablehlo.pad",
              {{"edge_padding_low", stablehlo::array_text(before)},
               {"edge_padding_high", stablehlo::array_text(after)},
               {"interior_padding", stablehlo::array_text(none)}});
  }
};

}  // namespace

Value slice(const Value& x, int64_t axis, Range range) {
  const int64_t along = normalise_axis("slice", axis, x);
  // A slice of gathered rows gathers only the rows in the slice.
  const Node& made_by = x.node();
  if (made_by.op().name() == "gather_rows" && along + 1 < x.rank()) {
    return gather_rows(made_by.input(0), slice(made_by.input(1), along, range));
  }
  return make_node<Slice>({x}, along, range);
}

Value pad(const Value& x, int64_t axis, int64_t low, int64_t high) {
  return make_node<Pad>({x, full({x.dtype(), {}}, 0)}, normalise_axis("pad", axis, x), low, high);
}

}  // namespace portatune
