#include "portatune/graph/matrix_flops.h"

#include <algorithm>

#include "portatune/graph/composite.h"
#include "portatune/graph/ops/convolution.h"
#include "portatune/graph/ops/dot_general.h"
#include "portatune/graph/ops/while_loop.h"
#include "portatune/graph/traversal.h"

namespace portatune {
namespace {

using FlopsByType = std::map<DType, double>;

void add_flops_of_loop(const Node& node, const CountedLoop& loop, double times, FlopsByType& flops);

// Adds the operations of the graph from `inputs` to `results`, which runs `times` times.
void add_flops(std::span<const Value> results, std::span<const Value> inputs, double times, FlopsByType& flops) {
  const auto is_input = [&](const Value& value) { return std::ranges::find(inputs, value) != inputs.end(); };
  for (const Node* node : topological_order(results, is_input)) {
    if (const double count = dot_flops(*node) + convolution_flops(*node); count > 0) {
      flops[node->input(0).dtype()] += times * count;
    } else if (const auto* composite = dynamic_cast<const Composite*>(&node->op())) {
      add_flops(composite->decompose(node->inputs()), node->inputs(), times, flops);
    } else if (const std::optional<CountedLoop> loop = counted_loop(*node)) {
      add_flops_of_loop(*node, *loop, times, flops);
    }
  }
}

void add_flops_of_loop(const Node& node, const CountedLoop& loop, double times, FlopsByType& flops) {
  Values outside = node.inputs();
  outside.insert(outside.end(), loop.arguments.begin(), loop.arguments.end());
  add_flops(loop.results, outside, times * static_cast<double>(loop.count), flops);
}

}  // namespace

FlopsByType matrix_flops(const Function& function) {
  FlopsByType flops;
  add_flops(function.results, function.parameters, 1, flops);
  return flops;
}

}  // namespace portatune
