#include "portatune/error.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// iota(type, axis): 0, 1, 2, ... along `axis`, the same along every other.
//   lowering  stablehlo.iota
struct Iota final : Op {
  const TensorType type;
  const int64_t axis;
  Iota(TensorType type, int64_t axis) : type(std::move(type)), axis(axis) {}

  std::string_view name() const override { return "iota"; }
  Types infer(std::span<const Value>) const override {
    if (axis < 0 || axis >= type.shape.rank()) {
      throw ShapeError({.where = "iota",
                        .given = to_string(type) + " and axis " + std::to_string(axis),
                        .expected = "an axis of the result"});
    }
    return {type};
  }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.iota", {{"iota_dimension", i64_attribute(axis)}});
  }
};

}  // namespace

Value iota(TensorType type, int64_t axis) { return make_node<Iota>({}, std::move(type), axis); }

}  // namespace portatune
