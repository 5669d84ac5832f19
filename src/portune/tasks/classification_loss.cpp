#include "portune/tasks/classification_loss.h"

#include "portune/ops.h"

namespace portune::tasks {

Value softmax_cross_entropy(const Value& logits, const Value& labels) {
  const Value log_probabilities = log_softmax(logits, 1);
  const Value classes = iota({labels.dtype(), logits.shape()}, 1);
  const Value is_label = compare(Direction::kEqual, classes, reshape(labels, {-1, 1}));
  return -sum(select(is_label, log_probabilities, full(logits.type(), 0)), {1});
}

Value sigmoid_cross_entropy(const Value& logits, const Value& labels) {
  // Not relu: at 0, where maximum shares the gradient, the loss has the slope of both sides.
  const Value positive = maximum(logits, full(logits.type(), 0));
  return positive - logits * convert(labels, logits.dtype()) + log1p(exp(-abs(logits)));
}

}  // namespace portune::tasks
