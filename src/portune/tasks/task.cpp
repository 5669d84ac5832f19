#include "portune/tasks.h"
#include "portune/tasks/initial_weights.h"

namespace portune {

InitialWeights Task::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  InitialWeights result;
  for (const nn::Parameter& parameter : parameters) {
    result.values.push_back(tasks::draw(parameter, seed));
    result.report.missing.push_back(parameter.name);
  }
  return result;
}

}  // namespace portune
