#include "portatune/tasks/objectives/ctc.h"

#include "portatune/ops.h"

namespace portatune::tasks {
namespace {

// Number of labels of each row, int32 [batch].
Value label_lengths(const Value& labels, int64_t blank) {
  const auto holds = [&](Direction direction, int64_t value) {
    return compare(direction, labels, full(labels.type(), static_cast<double>(value)));
  };
  const Value is_label = bitwise_and(holds(Direction::kGreaterEqual, 0), holds(Direction::kNotEqual, blank));
  return sum(convert(is_label, DType::kInt32), {1});
}

}  // namespace

Forward ctc(const models::CtcFacts& facts, const Value& logits, const Value& labels, const Value& frames,
            const Value& weights, const Mesh& mesh) {
  const Value lengths = label_lengths(labels, facts.blank_id);
  const Value losses = ctc_loss(log_softmax(logits, 2), labels, frames, lengths,
                                {.blank = facts.blank_id, .zero_infinity = facts.zero_infinity});
  if (!facts.is_mean) {
    const double part = 1 / static_cast<double>(mesh.size(kBatchAxes));
    return {.loss_sum = sum(losses * weights),
            .weight_sum = full({DType::kFloat32, {}}, part),
            .outputs = {{"logits", logits}}};
  }
  const Value divisors = convert(maximum(lengths, full(lengths.type(), 1)), DType::kFloat32);
  return {.loss_sum = sum(losses / divisors * weights), .weight_sum = sum(weights), .outputs = {{"logits", logits}}};
}

}  // namespace portatune::tasks
