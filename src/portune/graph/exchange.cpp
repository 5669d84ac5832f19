#include "portune/graph/exchange.h"

#include <cmath>

#include "portune/graph/ops/collectives.h"
#include "portune/graph/traversal.h"

namespace portune {

Exchange exchange_of(const Function& function) {
  Exchange exchange;
  for (const Node* node : topological_order(function.results, [](const Value&) { return false; })) {
    const std::optional<int64_t> devices = group_size_of(*node);
    if (!devices) continue;
    const auto of_input = static_cast<double>(node->input(0).type().bytes());
    const auto of_result = static_cast<double>(node->types()[0].bytes());
    if (of_input != of_result) {
      exchange.parts += std::abs(of_result - of_input);
    } else {  // the sum of each part goes round, and then the parts
      exchange.sums += 2.0 * static_cast<double>(*devices - 1) / static_cast<double>(*devices) * of_result;
    }
  }
  return exchange;
}

}  // namespace portune
