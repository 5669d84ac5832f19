#include "portune/losses.h"

#include "portune/ops.h"

namespace portune {

Value label_logits(const Value& logits, const Value& labels) {
  const int64_t last = logits.rank() - 1;
  Shape column = labels.shape();
  column.push_back(1);
  const Value classes = iota({labels.dtype(), logits.shape()}, last);
  const Value is_label = compare(Direction::kEqual, classes, reshape(labels, column));
  return sum(select(is_label, logits, full(logits.type(), 0)), {last});
}

// log of the sum of exponentials - logit: less to keep for the backward pass than log_softmax is.
Value softmax_cross_entropy(const Value& logits, const Value& labels) {
  const int64_t last = logits.rank() - 1;
  const Value highest = stop_gradient(max(logits, {last}, ReducedAxes::kKeep));
  const Value log_total = log(sum(exp(logits - highest), {last})) + reshape(highest, labels.shape());
  return log_total - label_logits(logits, labels);
}

Value sigmoid_cross_entropy(const Value& logits, const Value& labels) {
  // Not relu: at 0, where maximum shares the gradient, the loss has the slope of both sides.
  const Value positive = maximum(logits, full(logits.type(), 0));
  return positive - logits * convert(labels, logits.dtype()) + log1p(exp(-abs(logits)));
}

}  // namespace portune
