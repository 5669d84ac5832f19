#include "portatune/nn/program_parameters.h"

#include <algorithm>
#include <unordered_set>

#include "portatune/graph/traversal.h"

namespace portatune::nn {

std::vector<Parameter> parameters_of(const Context& context, std::span<const Value> results) {
  const std::vector<const Node*> nodes = topological_order(results, [](const Value&) { return false; });
  const std::unordered_set<const Node*> used(nodes.begin(), nodes.end());
  std::vector<Parameter> parameters(context.parameters().begin(), context.parameters().end());
  for (Parameter& parameter : parameters) {
    if (!parameter.is_buffer || used.contains(&parameter.input.node())) continue;
    parameter.value = parameter.rounded = parameter.input = {};
  }
  std::ranges::stable_partition(parameters, [](const Parameter& parameter) { return bool(parameter.input); });
  return parameters;
}

std::span<const Parameter> arguments_of(std::span<const Parameter> parameters) {
  const auto end = std::ranges::find_if(parameters, [](const Parameter& parameter) { return !parameter.input; });
  return {parameters.begin(), end};
}

Values inputs_of(std::span<const Parameter> parameters) {
  Values inputs;
  for (const Parameter& parameter : parameters) inputs.push_back(parameter.input);
  return inputs;
}

}  // namespace portatune::nn
