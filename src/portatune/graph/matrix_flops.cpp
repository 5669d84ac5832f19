#include "portatune/graph/matrix_flops.h"

#include "portatune/graph/composite.h"
#include "portatune/graph/executions.h"
#include "portatune/graph/ops/convolution.h"
#include "portatune/graph/ops/dot_general.h"

namespace portatune {
namespace {

using FlopsByType = std::map<DType, double>;

// Adds the operations of a function that runs `times` times.
void add_flops(const Function& function, double times, FlopsByType& flops) {
  visit_executions(function, [&](const Node& node, double executions) {
    if (const double count = dot_flops(node) + convolution_flops(node); count > 0) {
      flops[node.input(0).dtype()] += times * executions * count;
    } else if (const auto* composite = dynamic_cast<const Composite*>(&node.op())) {
      const Function parts{.parameters = node.inputs(), .results = composite->decompose(node.inputs())};
      add_flops(parts, times * executions, flops);
    }
  });
}

}  // namespace

FlopsByType matrix_flops(const Function& function) {
  FlopsByType flops;
  add_flops(function, 1, flops);
  return flops;
}

}  // namespace portatune
