#include "portatune/graph/exchange.h"

#include <cmath>
#include <cstdlib>

#include "portatune/graph/executions.h"
#include "portatune/graph/ops/collectives.h"

namespace portatune {

Exchange exchange_of(const Function& function) {
  Exchange exchange;
  visit_executions(function, [&](const Node& node, double times) {
    const std::optional<Sending> sending = sending_of(node);
    if (!sending) return;
    const double element = times * size_of(sending->dtype);
    const int64_t of_input = node.input(0).shape().elements(), of_result = node.types()[0].shape.elements();
    if (of_input != of_result) {
      // Layers gather along fsdp, updates along data.
      double& sent = sending->axes == MeshAxes{MeshAxis::kData} ? exchange.sums : exchange.parts;
      sent += element * static_cast<double>(std::abs(of_result - of_input));
    } else {  // the ring first sums each part, then distributes the parts
      const auto devices = static_cast<double>(sending->devices);
      exchange.sums += 2.0 * (devices - 1) / devices * element * static_cast<double>(of_result);
    }
  });
  return exchange;
}

}  // namespace portatune
