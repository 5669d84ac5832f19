#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/graph/ops/shapes/broadcast.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

// The comparison type is explicit, because XLA's constant folding assumes unsigned integers if it is omitted.
std::string_view compare_type(DType dtype) {
  if (is_float(dtype)) return "FLOAT";
  const bool is_signed =
      dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32 || dtype == DType::kInt64;
  return is_signed ? "SIGNED" : "UNSIGNED";
}

// compare(direction, x, y), element by element.
//   shape     that of both; element type bool
//   lowering  stablehlo.compare
struct Compare final : Op {
  const Direction direction;
  explicit Compare(Direction direction) : direction(direction) {}

  std::string_view name() const override { return "compare"; }
  Types infer(std::span<const Value> inputs) const override { return {{DType::kBool, inputs[0].shape()}}; }
  void lower(const Node& node, Lowering& out) const override {
    const std::string text(kDirections[static_cast<size_t>(direction)]);
    const std::string type(compare_type(node.input(0).dtype()));
    out.write(node, "stablehlo.compare",
              {{"comparison_direction", "#stablehlo<comparison_direction " + text + ">"},
               {"compare_type", "#stablehlo<comparison_type " + type + ">"}});
  }
};

// select(condition, x, y), element by element.
//   shape     that of all three
//   gradient  dy to the chosen branch, zero to the other
//   lowering  stablehlo.select
struct Select final : Op {
  std::string_view name() const override { return "select"; }
  Types infer(std::span<const Value> inputs) const override {
    require(inputs[0].dtype() == DType::kBool, name(), inputs, "a bool condition as first operand");
    return {inputs[1].type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value zero = full(dresults[0].type(), 0);
    return {Value(), select(node.input(0), dresults[0], zero), select(node.input(0), zero, dresults[0])};
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, "stablehlo.select"); }
};

}  // namespace

Value compare(Direction direction, const Value& x, const Value& y) {
  return make_node<Compare>(broadcast_together("compare", {x, y}), direction);
}

Value select(const Value& condition, const Value& x, const Value& y) {
  Values branches = broadcast_together("select", {x, y});
  if (branches[0].shape() != condition.shape()) {
    // The condition may be the larger array: the branches are broadcast to its shape, then it to theirs.
    const Value mask = convert(condition, x.dtype());
    for (Value& branch : branches) branch = broadcast_together("select", {branch, mask})[0];
  }
  return make_node<Select>({broadcast_to(condition, branches[0].shape()), branches[0], branches[1]});
}

}  // namespace portatune
