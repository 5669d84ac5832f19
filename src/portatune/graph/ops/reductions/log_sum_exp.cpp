#include "portatune/graph/ops/reductions/log_sum_exp.h"

#include <limits>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// log_sum_exp(x): the logarithm of the sum of exponentials along the last axis.
//   shape     without the last axis
//   lowering  the kernel portatune.log_sum_exp
struct LogSumExp final : Composite {
  std::string_view name() const override { return "log_sum_exp"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    require(x.dtype() == DType::kFloat32 && x.rank() > 0, name(), inputs, "x float32 [..., size]");
    return Composite::infer(inputs);
  }
  Values decompose(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    // Subtracting the maximum prevents overflow. In a row of -infinity it is replaced by the lowest finite number,
    // because the difference would be NaN.
    const Value lowest = full({DType::kFloat32, {}}, std::numeric_limits<float>::lowest());
    const Value largest = stop_gradient(maximum(max(x, {-1}), lowest));
    return {log(sum(exp(x - expand_dims(largest, -1)), {-1})) + largest};
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.log_sum_exp"}; }
};

}  // namespace

Value log_sum_exp(const Value& x) { return make_node<LogSumExp>({x}); }

}  // namespace portatune
