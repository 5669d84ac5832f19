#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// transpose(x, permutation): axis i of the result is axis permutation[i] of x.
//   shape     the permuted sizes
//   gradient  dy with the inverse permutation
//   lowering  stablehlo.transpose
struct Transpose final : Op {
  const std::vector<int64_t> permutation;
  explicit Transpose(std::vector<int64_t> permutation) : permutation(std::move(permutation)) {}

  std::string_view name() const override { return "transpose"; }
  Types infer(std::span<const Value> inputs) const override {
    std::vector<int64_t> axes = permutation;
    std::ranges::sort(axes);
    bool each_once = static_cast<int64_t>(axes.size()) == inputs[0].rank();
    for (size_t i = 0; each_once && i < axes.size(); ++i) each_once = axes[i] == static_cast<int64_t>(i);
    require(each_once, name(), inputs, "every axis of the operand once",
            " with permutation " + stablehlo::list_text(permutation));
    Shape shape;
    for (const int64_t axis : permutation) shape.push_back(inputs[0].shape()[axis]);
    return {{inputs[0].dtype(), shape}};
  }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    std::vector<int64_t> inverse(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i) {
      inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
    }
    return {transpose(dresults[0], inverse)};
  }
  void lower(const Node& node, Lowering& out) const override {
    out.write(node, "stablehlo.transpose", {{"permutation", stablehlo::array_text(permutation)}});
  }
};

}  // namespace

Value transpose(const Value& x, std::vector<int64_t> permutation) {
  return make_node<Transpose>({x}, std::move(permutation));
}

}  // namespace portatune
