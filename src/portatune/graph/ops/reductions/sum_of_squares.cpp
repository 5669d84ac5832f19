#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// sum_of_squares(x): a float32 scalar.
//   gradient  2 x dy, through the decomposition
//   lowering  the kernel portatune.sum_of_squares
struct SumOfSquares final : Composite {
  std::string_view name() const override { return "sum_of_squares"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value x = convert(inputs[0], DType::kFloat32);
    return {sum(x * x)};
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.sum_of_squares"}; }
};

}  // namespace

Value sum_of_squares(const Value& x) { return make_node<SumOfSquares>({x}); }

}  // namespace portatune
