#include "portatune/models/audio/weighted_sum.h"

#include "portatune/ops.h"

namespace portatune::models {

Value weighted_sum(const nn::Scope& root, const Values& hidden_states) {
  const int64_t count = std::ssize(hidden_states);
  const Value weights = softmax(root.parameter("layer_weights", {count}, {nn::Initializer::Kind::kOnes}), 0);
  Value result;
  for (int64_t i = 0; i < count; ++i) {
    const Value& state = hidden_states[static_cast<size_t>(i)];
    const Value part = state * convert(reshape(slice(weights, 0, {i, i + 1}), {1, 1, 1}), state.dtype());
    result = result ? result + part : part;
  }
  return result;
}

}  // namespace portatune::models
