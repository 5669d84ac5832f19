#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// top_k(x): the k largest elements along the last axis and their indices.
//   shape     k on the last axis; the same, int32
//   lowering  the kernel portatune.top_k, chlo.top_k
struct TopKOp final : Op {
  const int64_t k;
  explicit TopKOp(int64_t k) : k(k) {}

  std::string_view name() const override { return "top_k"; }
  Types infer(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    require(x.rank() > 0 && 0 < k && k <= x.shape().back(), name(), inputs, "k from 1 to the size of the last axis",
            " with k " + std::to_string(k));
    Shape shape = x.shape();
    shape[x.rank() - 1] = k;
    return {{x.dtype(), shape}, {DType::kInt32, shape}};
  }
  void lower(const Node& node, Lowering& out) const override {
    if (node.input(0).dtype() == DType::kFloat32 && out.call_kernel(node, {.target = "portatune.top_k"})) return;
    out.write(node, "chlo.top_k", {{"k", i64_attribute(k)}});
  }
};

}  // namespace

TopK top_k(const Value& x, int64_t k) {
  const Values results = make_nodes(std::make_unique<TopKOp>(k), {x});
  return {results[0], results[1]};
}

}  // namespace portatune
