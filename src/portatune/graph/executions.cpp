#include "portatune/graph/executions.h"

#include <algorithm>

#include "portatune/graph/live_values.h"
#include "portatune/graph/ops/while_loop.h"
#include "portatune/graph/traversal.h"

namespace portatune {
namespace {

struct Visits {
  const LiveValues live;
  const std::function<void(const Node&, double)>& visit;

  // From `inputs`, which are not visited, to `results`.
  void run(const Values& inputs, const Values& results, double times) const {
    const auto stop = [&](const Value& value) {
      return !live.contains(value.node()) || std::ranges::find(inputs, value) != inputs.end();
    };
    for (const Node* node : topological_order(results, stop)) {
      visit(*node, times);
      if (const std::optional<CountedLoop> loop = counted_loop(node->op())) run_loop(*node, *loop, times);
    }
  }
  void run_loop(const Node& node, const CountedLoop& loop, double times) const {
    Values outside = node.inputs(), results;
    outside.insert(outside.end(), loop.arguments.begin(), loop.arguments.end());
    for (const size_t i : live.results_of(node)) results.push_back(loop.results[i]);
    run(outside, results, times * static_cast<double>(loop.count));
  }
};

}  // namespace

void visit_executions(const Function& function, const std::function<void(const Node&, double)>& visit) {
  const Visits visits{LiveValues(function.results), visit};
  visits.run(function.parameters, function.results, 1);
}

}  // namespace portatune
