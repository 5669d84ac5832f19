#include "portatune/tasks/losses.h"

#include "portatune/graph/ops/collectives.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// The logits of this device's classes, out of those of all devices.
struct ClassLogits {
  Value values;  // [..., classes of the device]
  int64_t last;  // axis of the classes
  Mesh mesh = {};
  MeshAxes axes = {};

  explicit ClassLogits(const Value& logits) : values(logits), last(logits.rank() - 1) {
    const auto gathered = gathered_parts(logits);
    if (!gathered || gathered->axis != last) return;
    values = gathered->part;
    mesh = gathered->mesh;
    axes = gathered->axes;
  }

  Value sum_over_classes(const Value& x) const { return all_reduce(sum(x, {last}), mesh, axes); }
  // Shape [..., 1].
  Value highest() const {
    Value highest = max(values, {last}, ReducedAxes::kKeep);
    if (!axes.empty()) highest = max(all_gather(highest, last, mesh, axes), {last}, ReducedAxes::kKeep);
    return stop_gradient(highest);
  }
  Value label_logits(const Value& labels) const {
    Shape column = labels.shape();
    column.push_back(1);
    Value label = reshape(labels, column);
    if (!axes.empty()) label = label - place_of_device(mesh, axes) * static_cast<double>(values.shape()[last]);
    const Value is_label = compare(Direction::kEqual, iota({labels.dtype(), values.shape()}, last), label);
    return sum_over_classes(select(is_label, values, full(values.type(), 0)));
  }
};

}  // namespace

Value label_logits(const Value& logits, const Value& labels) { return ClassLogits(logits).label_logits(labels); }

Value highest_logits(const Value& logits) {
  Shape shape = logits.shape();
  shape.erase(shape.rank() - 1);
  return reshape(ClassLogits(logits).highest(), shape);
}

Value softmax_cross_entropy(const Value& logits, const Value& labels) {
  return smoothed_cross_entropy(logits, labels, 0);
}

// Computes log(sum of exponentials) - logit, which keeps less for the backward pass than log_softmax.
Value smoothed_cross_entropy(const Value& logits, const Value& labels, double label_smoothing) {
  const ClassLogits classes(logits);
  const Value highest = classes.highest();
  const Value total = classes.sum_over_classes(exp(classes.values - highest));
  Value expected = classes.label_logits(labels);  // mean of the logits over the target
  if (label_smoothing > 0) {
    const double share = label_smoothing / static_cast<double>(logits.shape().back());
    expected = expected * (1 - label_smoothing) + classes.sum_over_classes(classes.values) * share;
  }
  return log(total) + reshape(highest, labels.shape()) - expected;
}

Value am_softmax_logits(const Value& cosines, const Value& labels) {
  const int64_t last = cosines.rank() - 1;
  const Value ids = iota({labels.dtype(), cosines.shape()}, last);
  const Value is_label = compare(Direction::kEqual, ids, expand_dims(labels, last));
  return (cosines - convert(is_label, cosines.dtype()) * kAmSoftmaxMargin) * kAmSoftmaxScale;
}

Value sigmoid_cross_entropy(const Value& logits, const Value& labels) {
  // Unlike relu, maximum shares the gradient at 0, so that the loss has the mean slope of both sides.
  const Value positive = maximum(logits, full(logits.type(), 0));
  return positive - logits * convert(labels, logits.dtype()) + log1p(exp(-abs(logits)));
}

}  // namespace portatune
