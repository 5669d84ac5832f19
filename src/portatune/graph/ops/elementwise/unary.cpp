#include <cmath>
#include <numbers>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// A function of one element. `derivative` returns dx from x, y = f(x) and dy. Without it (on integers and bools) no
// gradient flows back.
struct UnaryFunction {
  std::string_view stablehlo;
  Value (*derivative)(const Value& x, const Value& y, const Value& dy);
};

using V = const Value&;
constexpr UnaryFunction kNeg{"stablehlo.negate", [](V, V, V dy) { return -dy; }};
// At 0, where |x| has no derivative, the gradient is 0, as in torch.
constexpr UnaryFunction kAbs{"stablehlo.abs", [](V x, V, V dy) {
                               const Value zero = full(x.type(), 0);
                               const Value slope = select(compare(Direction::kLess, x, zero), -dy, dy);
                               return select(compare(Direction::kEqual, x, zero), zero, slope);
                             }};
constexpr UnaryFunction kExp{"stablehlo.exponential", [](V, V y, V dy) { return dy * y; }};
constexpr UnaryFunction kExpm1{"stablehlo.exponential_minus_one", [](V, V y, V dy) { return dy * (y + 1.0); }};
constexpr UnaryFunction kLog{"stablehlo.log", [](V x, V, V dy) { return dy / x; }};
constexpr UnaryFunction kLog1p{"stablehlo.log_plus_one", [](V x, V, V dy) { return dy / (1.0 + x); }};
constexpr UnaryFunction kSqrt{"stablehlo.sqrt", [](V, V y, V dy) { return dy * 0.5 / y; }};
constexpr UnaryFunction kRsqrt{"stablehlo.rsqrt", [](V, V y, V dy) { return dy * -0.5 * y * y * y; }};
constexpr UnaryFunction kTanh{"stablehlo.tanh", [](V, V y, V dy) { return dy * (1.0 - y * y); }};
constexpr UnaryFunction kLogistic{"stablehlo.logistic", [](V, V y, V dy) { return dy * y * (1.0 - y); }};
constexpr UnaryFunction kErf{"chlo.erf",
                             [](V x, V, V dy) { return dy * exp(-(x * x)) * (2 / std::sqrt(std::numbers::pi)); }};
constexpr UnaryFunction kSin{"stablehlo.sine", [](V x, V, V dy) { return dy * cos(x); }};
constexpr UnaryFunction kCos{"stablehlo.cosine", [](V x, V, V dy) { return dy * -sin(x); }};
constexpr UnaryFunction kNot{"stablehlo.not", nullptr};

// f(x), element by element.
//   shape     that of x
//   gradient  the function's derivative
//   lowering  one StableHLO op
struct Unary final : Op {
  const UnaryFunction& function;
  explicit Unary(const UnaryFunction& function) : function(function) {}

  std::string_view name() const override { return function.stablehlo.substr(function.stablehlo.find('.') + 1); }
  Types infer(std::span<const Value> inputs) const override {
    const bool wants_float = function.derivative != nullptr && &function != &kNeg && &function != &kAbs;
    require(!wants_float || is_float(inputs[0].dtype()), name(), inputs, "a float type", "", "convert() it first");
    return {inputs[0].type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    if (function.derivative == nullptr) return {Value()};
    return {function.derivative(node.input(0), node.result(0), dresults[0])};
  }
  void lower(const Node& node, Lowering& out) const override { out.write(node, function.stablehlo); }
};

Value apply(const UnaryFunction& function, const Value& x) { return make_node<Unary>({x}, function); }

}  // namespace

Value neg(const Value& x) { return apply(kNeg, x); }
Value abs(const Value& x) { return apply(kAbs, x); }
Value exp(const Value& x) { return apply(kExp, x); }
Value expm1(const Value& x) { return apply(kExpm1, x); }
Value log(const Value& x) { return apply(kLog, x); }
Value log1p(const Value& x) { return apply(kLog1p, x); }
Value sqrt(const Value& x) { return apply(kSqrt, x); }
Value rsqrt(const Value& x) { return apply(kRsqrt, x); }
Value tanh(const Value& x) { return apply(kTanh, x); }
Value logistic(const Value& x) { return apply(kLogistic, x); }
Value erf(const Value& x) { return apply(kErf, x); }
Value sin(const Value& x) { return apply(kSin, x); }
Value cos(const Value& x) { return apply(kCos, x); }
Value logical_not(const Value& x) { return apply(kNot, x); }

}  // namespace portatune
