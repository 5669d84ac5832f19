#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/graph/ops/shapes/broadcast.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

struct Pair {
  Value dx, dy;
};

// A function of two elements. `derivative` returns the gradients of x and y; without it no gradient flows back.
struct BinaryFunction {
  std::string_view stablehlo;
  Pair (*derivative)(const Value& x, const Value& y, const Value& dz);
};

using V = const Value&;

// The gradient goes to x where x wins; where both are equal, each gets half, as in torch.
Pair split_by(Direction wins, V x, V y, V dz) {
  const Value zero = full(dz.type(), 0);
  const Value half = select(compare(Direction::kEqual, x, y), dz * 0.5, zero);
  return {select(compare(wins, x, y), dz, half), select(compare(wins, y, x), dz, half)};
}

constexpr BinaryFunction kAdd{"stablehlo.add", [](V, V, V dz) { return Pair{dz, dz}; }};
constexpr BinaryFunction kSubtract{"stablehlo.subtract", [](V, V, V dz) { return Pair{dz, -dz}; }};
constexpr BinaryFunction kMultiply{"stablehlo.multiply", [](V x, V y, V dz) { return Pair{dz * y, dz * x}; }};
constexpr BinaryFunction kDivide{"stablehlo.divide", [](V x, V y, V dz) { return Pair{dz / y, -(dz * x / (y * y))}; }};
constexpr BinaryFunction kMaximum{"stablehlo.maximum",
                                  [](V x, V y, V dz) { return split_by(Direction::kGreater, x, y, dz); }};
constexpr BinaryFunction kMinimum{"stablehlo.minimum",
                                  [](V x, V y, V dz) { return split_by(Direction::kLess, x, y, dz); }};
constexpr BinaryFunction kPower{"stablehlo.power", [](V x, V y, V dz) {
                                  return Pair{dz * y * power(x, y - 1.0), dz * power(x, y) * log(x)};
                                }};
constexpr BinaryFunction kAnd{"stablehlo.and", nullptr};
constexpr BinaryFunction kOr{"stablehlo.or", nullptr};
constexpr BinaryFunction kXor{"stablehlo.xor", nullptr};
constexpr BinaryFunction kShiftLeft{"stablehlo.shift_left", nullptr};
constexpr BinaryFunction kShiftRight{"stablehlo.shift_right_logical", nullptr};

// f(x, y), element by element, on operands of one type.
//   shape     that of both
//   gradient  the function's derivatives
//   lowering  one StableHLO op
struct Binary final : Op {
  const BinaryFunction& function;
  explicit Binary(const BinaryFunction& function) : function(function) {}

  std::string_view name() const override { return function.stablehlo.substr(function.stablehlo.find('.') + 1); }
  Types infer(std::span<const Value> inputs) const override {
    require(inputs[0].type() == inputs[1].type(), name(), inputs, "two operands of one type");
    return {inputs[0].type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    if (function.derivative == nullptr || !is_float(node.types()[0].dtype)) return {Value(), Value()};
    const auto [dx, dy] = function.derivative(node.input(0), node.input(1), dresults[0]);
    return {dx, dy};
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, function.stablehlo); }
};

Value apply(const BinaryFunction& function, const Value& x, const Value& y) {
  const std::string_view name = function.stablehlo.substr(function.stablehlo.find('.') + 1);
  return make_node<Binary>(broadcast_together(name, {x, y}), function);
}

Value number_like(const Value& x, double number) { return full(x.type(), number); }

}  // namespace

Value add(const Value& x, const Value& y) { return apply(kAdd, x, y); }
Value subtract(const Value& x, const Value& y) { return apply(kSubtract, x, y); }
Value multiply(const Value& x, const Value& y) { return apply(kMultiply, x, y); }
Value divide(const Value& x, const Value& y) { return apply(kDivide, x, y); }
Value maximum(const Value& x, const Value& y) { return apply(kMaximum, x, y); }
Value minimum(const Value& x, const Value& y) { return apply(kMinimum, x, y); }
Value power(const Value& x, const Value& y) { return apply(kPower, x, y); }
Value bitwise_and(const Value& x, const Value& y) { return apply(kAnd, x, y); }
Value bitwise_or(const Value& x, const Value& y) { return apply(kOr, x, y); }
Value bitwise_xor(const Value& x, const Value& y) { return apply(kXor, x, y); }
Value shift_left(const Value& x, const Value& y) { return apply(kShiftLeft, x, y); }
Value shift_right_logical(const Value& x, const Value& y) { return apply(kShiftRight, x, y); }

Value operator+(const Value& x, double y) { return x + number_like(x, y); }
Value operator-(const Value& x, double y) { return x - number_like(x, y); }
Value operator*(const Value& x, double y) { return x * number_like(x, y); }
Value operator/(const Value& x, double y) { return x / number_like(x, y); }
Value operator+(double x, const Value& y) { return number_like(y, x) + y; }
Value operator-(double x, const Value& y) { return number_like(y, x) - y; }
Value operator*(double x, const Value& y) { return number_like(y, x) * y; }
Value operator/(double x, const Value& y) { return number_like(y, x) / y; }

}  // namespace portatune
