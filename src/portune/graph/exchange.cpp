#include "portune/graph/exchange.h"

#include <cmath>

#include "portune/graph/traversal.h"

namespace portune {

Exchange exchange_of(const Function& function) {
  Exchange exchange;
  const auto devices = static_cast<double>(function.mesh.devices());
  for (const Node* node : topological_order(function.results, [](const Value&) { return false; })) {
    const std::string_view name = node->op().name();
    const auto bytes = [](const TensorType& type) { return static_cast<double>(type.bytes()); };
    if (name == "all_gather" || name == "reduce_scatter") {
      exchange.parts += std::abs(bytes(node->types()[0]) - bytes(node->input(0).type()));
    } else if (name == "all_reduce") {
      exchange.sums += 2 * (devices - 1) / devices * bytes(node->types()[0]);
    }
  }
  return exchange;
}

}  // namespace portune
