#include "portatune/graph/matrix_flops.h"

#include <algorithm>

#include "portatune/graph/composite.h"
#include "portatune/graph/ops/convolution.h"
#include "portatune/graph/ops/dot_general.h"
#include "portatune/graph/traversal.h"

namespace portatune {
namespace {

using FlopsByType = std::map<DType, double>;

// Adds the operations of the graph from `inputs` to `results`.
void add_flops(std::span<const Value> results, std::span<const Value> inputs, FlopsByType& flops) {
  const auto is_input = [&](const Value& value) { return std::ranges::find(inputs, value) != inputs.end(); };
  for (const Node* node : topological_order(results, is_input)) {
    if (const double count = dot_flops(*node) + convolution_flops(*node); count > 0) {
      flops[node->input(0).dtype()] += count;
    } else if (const auto* composite = dynamic_cast<const Composite*>(&node->op())) {
      add_flops(composite->decompose(node->inputs()), node->inputs(), flops);
    }
  }
}

}  // namespace

FlopsByType matrix_flops(const Function& function) {
  FlopsByType flops;
  add_flops(function.results, function.parameters, flops);
  return flops;
}

}  // namespace portatune
