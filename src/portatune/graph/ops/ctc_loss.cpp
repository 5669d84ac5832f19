#include <cmath>
#include <functional>
#include <limits>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// The logarithm of 0. Sums of -infinity would be NaN.
constexpr double kLogZero = -1e30;

Value int_scalar(int64_t value) { return full({DType::kInt32, {}}, static_cast<double>(value)); }

// The states of an alignment: blank, label 0, blank, label 1, ..., blank; [batch, states], with states = 2 labels + 1.
struct States {
  Value classes;  // int32: class that a state emits
  Value skip;     // 0 where the state before the previous one may come before this one, else kLogZero
  Value initial;  // 0 for the two states in which an alignment may begin, else kLogZero
  Value last;     // 0 for the two states in which it may end, else kLogZero
  int64_t batch, count;
};

Value log_of(const Value& condition, DType dtype) {
  const TensorType type{dtype, condition.shape()};
  return select(condition, full(type, 0), full(type, kLogZero));
}

// x [batch, states], moved by `by` states to the right (or to the left if negative), with kLogZero in their place.
Value shifted(const Value& x, int64_t by) {
  const int64_t count = x.shape()[1], size = by < 0 ? -by : by;
  if (size >= count) return full(x.type(), kLogZero);
  const Value rest = full({x.dtype(), {x.shape()[0], size}}, kLogZero);
  return by > 0 ? concatenate({rest, slice(x, 1, {0, count - size})}, 1)
                : concatenate({slice(x, 1, {size, count}), rest}, 1);
}

States states_of(const Value& labels, const Value& label_lengths, DType dtype, int64_t blank) {
  const int64_t batch = labels.shape()[0], count = 2 * labels.shape()[1] + 1;
  const Value blanks = full({DType::kInt32, {batch, labels.shape()[1], 1}}, static_cast<double>(blank));
  const Value pairs = reshape(concatenate({blanks, expand_dims(labels, -1)}, 2), {batch, count - 1});
  const Value classes = concatenate({pairs, slice(reshape(blanks, {batch, -1}), 1, {0, 1})}, 1);

  const TensorType type{DType::kInt32, {batch, count}};
  const Value state = iota(type, 1);
  const Value before_previous = concatenate(
      {full({DType::kInt32, {batch, 2}}, static_cast<double>(blank)), slice(classes, 1, {0, count - 2})}, 1);
  const Value is_label = compare(Direction::kNotEqual, classes, full(type, static_cast<double>(blank)));
  const Value differs = compare(Direction::kNotEqual, classes, before_previous);
  const Value end = broadcast_to(expand_dims(label_lengths * 2.0, -1), type.shape);
  const Value is_last =
      bitwise_or(compare(Direction::kEqual, state, end), compare(Direction::kEqual, state, end - 1.0));
  return {.classes = classes,
          .skip = log_of(bitwise_and(is_label, differs), dtype),
          .initial = log_of(compare(Direction::kLess, state, full(type, 2)), dtype),
          .last = log_of(is_last, dtype),
          .batch = batch,
          .count = count};
}

// 1 for the class of each state, else 0; [batch, states, classes].
Value one_hot(const States& states, int64_t classes, DType dtype) {
  const TensorType type{DType::kInt32, {states.batch, states.count, classes}};
  return convert(compare(Direction::kEqual, broadcast_to(expand_dims(states.classes, -1), type.shape), iota(type, 2)),
                 dtype);
}

// The logarithms of the probabilities of the states' classes, [frames, batch, states].
Value emissions(const Value& log_probs, const States& states) {
  const Value chosen =
      dot_general(log_probs, one_hot(states, log_probs.shape()[2], log_probs.dtype()),
                  {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {2}, .rhs_contracting = {2}});
  return transpose(chosen, {1, 0, 2});
}

// log(exp(x) + exp(y) + exp(z))
Value log_sum(const Value& x, const Value& y, const Value& z) {
  const Value largest = maximum(maximum(x, y), z);
  return largest + log(exp(x - largest) + exp(y - largest) + exp(z - largest));
}

Value at_frame(const Value& x, const Value& frame) {
  return reshape(dynamic_slice(x, 0, frame, 1), {x.shape()[1], x.shape()[2]});
}

// bool [batch, states]: whether the frame is among the rows' first `lengths` ones.
Value is_within(const Value& frame, const Value& lengths, const States& states) {
  const Value within = compare(Direction::kLess, broadcast_to(frame, lengths.shape()), lengths);
  return broadcast_to(expand_dims(within, -1), {states.batch, states.count});
}

// The results of `next(frame, x)` for the frames first, first + step, ..., one after the other; [frames, batch, states]
// with x at `first`.
Value over_frames(const Value& x, int64_t frames, int64_t first, int64_t step,
                  const std::function<Value(const Value& frame, const Value& x)>& next) {
  Shape shape = x.shape();
  shape.insert(0, frames);
  const auto put = [](const Value& all, const Value& row, const Value& frame) {
    return dynamic_update_slice(all, expand_dims(row, 0), 0, frame);
  };
  const Value all = put(full({x.dtype(), shape}, kLogZero), x, int_scalar(first));
  const auto is_inside = [&](const Values& v) {
    return bitwise_and(compare(Direction::kGreaterEqual, v[0], int_scalar(0)),
                       compare(Direction::kLess, v[0], int_scalar(frames)));
  };
  const auto body = [&](const Values& v) {
    const Value row = next(v[0], v[1]);
    return Values{v[0] + int_scalar(step), row, put(v[2], row, v[0])};
  };
  return while_loop({int_scalar(first + step), x, all}, is_inside, body)[2];
}

// The logarithms of the sums over all beginnings of alignments that are in a state at a frame, the frame included. From
// a row's last frame on they stay the same.
Value forward_sums(const Value& emitted, const States& states, const Value& frame_lengths) {
  const auto next = [&](const Value& frame, const Value& x) {
    const Value moved = log_sum(x, shifted(x, 1), shifted(x, 2) + states.skip) + at_frame(emitted, frame);
    return select(is_within(frame, frame_lengths, states), moved, x);
  };
  return over_frames(states.initial + at_frame(emitted, int_scalar(0)), emitted.shape()[0], 0, 1, next);
}

// The same over all ends of alignments, without the frame itself. From a row's last frame on they are States::last.
Value backward_sums(const Value& emitted, const States& states, const Value& frame_lengths) {
  const int64_t frames = emitted.shape()[0];
  const auto next = [&](const Value& frame, const Value& x) {
    const Value later = x + at_frame(emitted, frame + int_scalar(1));
    const Value moved = log_sum(later, shifted(later, -1), shifted(later + states.skip, -2));
    return select(is_within(frame + int_scalar(1), frame_lengths, states), moved, states.last);
  };
  return over_frames(states.last, frames, frames - 1, -1, next);
}

// True where the logarithm is not that of 0. Sums of probabilities are never as small as the bound.
Value is_possible(const Value& log_prob) {
  return compare(Direction::kGreater, log_prob, full(log_prob.type(), kLogZero / 2));
}

// `x` where log_prob [batch] is_possible(), else `y` everywhere.
Value where_possible(const Value& log_prob, const Value& x, double y) {
  Value possible = is_possible(log_prob);
  while (possible.rank() < x.rank()) possible = expand_dims(possible, -1);
  return select(broadcast_to(possible, x.shape()), x, full(x.type(), y));
}

// ctc_loss_grad(dloss, log_probs, labels, frame_lengths, label_lengths, forward_sums, log_prob): the gradient of
// log_probs, minus the probability that an alignment of the labels is in a state of the class at the frame.
//   shape     that of log_probs
//   lowering  the decomposition
struct CtcLossGrad final : Composite {
  const CtcOptions options;
  explicit CtcLossGrad(const CtcOptions& options) : options(options) {}

  std::string_view name() const override { return "ctc_loss_grad"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value &dloss = inputs[0], &log_probs = inputs[1], &frame_lengths = inputs[3], &log_prob = inputs[6];
    const States states = states_of(inputs[2], inputs[4], log_probs.dtype(), options.blank);
    const Value backward = backward_sums(emissions(log_probs, states), states, frame_lengths);
    const Value in_state = exp(inputs[5] + backward - expand_dims(expand_dims(log_prob, -1), 0));  // [frames, ...]
    const Value of_class = dot_general(in_state, one_hot(states, log_probs.shape()[2], log_probs.dtype()),
                                       {.lhs_batch = {1},
                                        .rhs_batch = {0},
                                        .lhs_contracting = {2},
                                        .rhs_contracting = {1}});  // [batch, frames, classes]
    const TensorType frames{DType::kInt32, {states.batch, log_probs.shape()[1]}};
    const Value counts =
        compare(Direction::kLess, iota(frames, 1), broadcast_to(expand_dims(frame_lengths, -1), frames.shape));
    const Value minus_dloss = where_possible(log_prob, -dloss, options.zero_infinity ? 0 : std::nan(""));
    const Value dlog_probs = where_possible(log_prob, of_class, 1) * expand_dims(expand_dims(minus_dloss, -1), -1);
    return {select(broadcast_to(expand_dims(counts, -1), log_probs.shape()), dlog_probs, full(log_probs.type(), 0))};
  }
  KernelCall kernel(const Node&) const override { return kNoKernel; }
};

// ctc_loss(log_probs, labels, frame_lengths, label_lengths): the losses; also forward_sums() and the logarithms of the
// labels' probabilities for the gradient.
//   shape     [batch]; [frames, batch, states]; [batch]
//   gradient  ctc_loss_grad
//   lowering  the decomposition
struct CtcLoss final : Composite {
  const CtcOptions options;
  explicit CtcLoss(const CtcOptions& options) : options(options) {}

  std::string_view name() const override { return "ctc_loss"; }

  Types infer(std::span<const Value> inputs) const override {
    const Shape &log_probs = inputs[0].shape(), &labels = inputs[1].shape();
    // The logarithm of 0 is no number of float16, and sums over many frames need the precision.
    const bool is_precise = inputs[0].dtype() == DType::kFloat32 || inputs[0].dtype() == DType::kFloat64;
    require(is_precise && log_probs.rank() == 3 && log_probs[1] > 0, name(), inputs,
            "log_probs [batch, frames, classes] of float32 or float64 as first operand");
    require(inputs[1].dtype() == DType::kInt32 && labels.rank() == 2 && labels[0] == log_probs[0] && labels[1] > 0,
            name(), inputs, "int32 labels [batch, labels], at least one in a row, as second operand");
    const TensorType lengths{DType::kInt32, {log_probs[0]}};
    require(inputs[2].type() == lengths && inputs[3].type() == lengths, name(), inputs,
            "int32 numbers of frames and of labels, [batch] each");
    require(0 <= options.blank && options.blank < log_probs[2], name(), inputs, "a blank that is one of the classes",
            ", blank " + std::to_string(options.blank));
    const DType dtype = inputs[0].dtype();
    return {{dtype, {log_probs[0]}}, {dtype, {log_probs[1], log_probs[0], 2 * labels[1] + 1}}, {dtype, {log_probs[0]}}};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const States states = states_of(inputs[1], inputs[3], inputs[0].dtype(), options.blank);
    const Value sums = forward_sums(emissions(inputs[0], states), states, inputs[2]);
    const Value ends = at_frame(sums, int_scalar(sums.shape()[0] - 1)) + states.last;
    const Value largest = max(ends, {1}, ReducedAxes::kKeep);
    const Value log_prob = reshape(largest, {states.batch}) + log(sum(exp(ends - largest), {1}));
    const double infinity = options.zero_infinity ? 0 : std::numeric_limits<double>::infinity();
    return {where_possible(log_prob, -log_prob, infinity), sums, log_prob};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    require(dresults[0] && !dresults[1] && !dresults[2], name(), node.inputs(), "a gradient for the first result only");
    return {make_node<CtcLossGrad>({dresults[0], node.input(0), node.input(1), node.input(2), node.input(3),
                                    node.result(1), node.result(2)},
                                   options),
            {},
            {},
            {}};
  }

  KernelCall kernel(const Node&) const override { return kNoKernel; }
};

}  // namespace

Value ctc_loss(const Value& log_probs, const Value& labels, const Value& frame_lengths, const Value& label_lengths,
               const CtcOptions& options) {
  return make_node<CtcLoss>({log_probs, labels, frame_lengths, label_lengths}, options);
}

int64_t min_ctc_frames(std::span<const int32_t> labels) {
  int64_t frames = std::ssize(labels);
  for (size_t i = 1; i < labels.size(); ++i) frames += labels[i] == labels[i - 1] ? 1 : 0;
  return frames;
}

}  // namespace portatune
