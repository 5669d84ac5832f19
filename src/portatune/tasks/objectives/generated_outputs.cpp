#include "portatune/tasks/objectives/generated_outputs.h"

#include <limits>

#include "portatune/ops.h"
#include "portatune/tasks/metrics/generated_texts.h"

namespace portatune::tasks {

void add_generated(const generate::GeneratedTokens& texts, const Value& weights, Forward& forward) {
  const TensorType& rows = weights.type();
  const Value infinite = full(rows, std::numeric_limits<double>::infinity());
  forward.outputs.emplace_back(kGeneratedTokens, texts.tokens);
  forward.outputs.emplace_back(kGeneratedLogits,
                               select(broadcast_to(texts.finite, rows.shape), full(rows, 0), infinite));
}

}  // namespace portatune::tasks
