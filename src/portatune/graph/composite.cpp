#include "portatune/graph/composite.h"

#include "portatune/graph/gradients.h"

namespace portatune {

Types Composite::infer(std::span<const Value> inputs) const {
  Types types;
  for (const Value& result : decompose(inputs)) types.push_back(result.type());
  return types;
}

Values Composite::gradient(const Node& node, std::span<const Value> dresults) const {
  return backpropagate(decompose(node.inputs()), dresults, node.inputs(), AtWrt::kStop);
}

std::optional<Values> Composite::for_target(const Node&, const Lowering&) const { return {}; }

void Composite::lower(const Node& node, Lowering& out) const {
  if (out.call_kernel(node, kernel(node))) return;
  std::optional<Values> results = for_target(node, out);
  out.substitute(node, results ? *std::move(results) : decompose(node.inputs()));
}

}  // namespace portatune
