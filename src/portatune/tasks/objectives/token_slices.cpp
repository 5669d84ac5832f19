#include "portatune/tasks/objectives/token_slices.h"

#include <algorithm>

#include "portatune/graph/gradients.h"
#include "portatune/graph/ops/known_gradients.h"
#include "portatune/graph/ops/while_loop.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune::tasks {
namespace {

// x [tokens, ...] in equal slices along the first axis, padded with zeros.
class Slices {
 public:
  Slices(int64_t tokens, int64_t count) : tokens_(tokens), count_(count), size_((tokens + count - 1) / count) {}

  int64_t count() const { return count_; }
  // The slice of this index, an int32 scalar.
  Value slice_of(const Value& x, const Value& index) const {
    const Value padded = count_ * size_ == tokens_ ? x : pad(x, 0, 0, count_ * size_ - tokens_);
    return dynamic_slice(padded, 0, index * static_cast<double>(size_), size_);
  }
  // The inverse for all slices side by side, in this shape.
  Value joined(const Value& slices, const Shape& shape) const { return reshape(slice(slices, 0, {0, tokens_}), shape); }

 private:
  int64_t tokens_, count_, size_;
};

// Number of classes of a device's logits.
int64_t classes_of_device(const LanguageModelHead& head) {
  const int64_t all = head.model.written_vocab_size();
  return nn::vocabulary_split(head.root, all) ? all / head.root.options().mesh.tensor : all;
}

// Number of slices in which the logits are small enough; if possible one that divides the tokens.
int64_t number_of_slices(const LanguageModelHead& head, int64_t tokens) {
  const int64_t bytes = tokens * classes_of_device(head) * size_of(DType::kFloat32);
  const int64_t least = std::min(tokens, (bytes + head.max_logits_bytes - 1) / head.max_logits_bytes);
  for (int64_t count = least; count < 2 * least; ++count) {
    if (tokens % count == 0) return count;
  }
  return least;
}

// The gradient of the loss of an objective by the losses of the tokens, on which it does not depend.
Value gradient_by_losses(const Objective& objective, const Shape& tokens) {
  const TensorType type{DType::kFloat32, tokens};
  const TokenFigures any{parameter("losses", type), parameter("hits", type)};
  const Value loss = objective(any).loss_sum, one = full(loss.type(), 1);
  return backpropagate({&loss, 1}, {&one, 1}, {&any.losses, 1}, AtWrt::kStop)[0];
}

// The weights by which y was computed from x.
Values weights_between(const Value& x, const Value& y) {
  Values weights = captured_floats(nodes_between(x, y), x);
  std::erase_if(weights, [](const Value& value) {
    const auto order = topological_order({&value, 1}, [](const Value&) { return false; });
    return std::ranges::none_of(order, [](const Node* node) { return is_parameter(*node); });
  });
  return weights;
}

Forward objective_in_slices(const LanguageModelHead& head, const Value& x, const Value& labels,
                            const Objective& objective, const Slices& slices) {
  const Value index = parameter("slice", {DType::kInt32, {}});
  const auto slice_of = [&](const Value& tokens) { return slices.slice_of(tokens, index); };
  const Value part = slice_of(reshape(x, {-1, x.shape().back()}));
  const Value logits = head.model.logits(head.kind, head.root, {.x = part});
  const TokenFigures of_part = token_figures(logits, slice_of(reshape(labels, {-1})), head.label_smoothing);

  Values differentiated = weights_between(part, of_part.losses);
  differentiated.push_back(part);
  const Value dlosses = slice_of(reshape(gradient_by_losses(objective, labels.shape()), {-1}));
  Values gradients = backpropagate({&of_part.losses, 1}, {&dlosses, 1}, differentiated, AtWrt::kStop);
  const Value dpart = gradients.back();
  gradients.pop_back();
  const LoopValues all =
      loop_over({.sums = gradients, .parts = {of_part.losses, of_part.hits, dpart}}, index, slices.count());

  const auto joined = [&](size_t i, const Shape& shape) { return slices.joined(all.parts[i], shape); };
  Forward forward = objective({joined(0, labels.shape()), joined(1, labels.shape())});
  differentiated.back() = x;
  Values known = all.sums;
  known.push_back(joined(2, x.shape()));
  forward.loss_sum = with_gradients(forward.loss_sum, differentiated, known);
  return forward;
}

}  // namespace

Forward objective_of_tokens(const LanguageModelHead& head, const Value& x, const Value& labels,
                            const Objective& objective) {
  const int64_t tokens = labels.shape().elements(), count = number_of_slices(head, tokens);
  if (count > 1 && head.root.options().compute_dtype != DType::kFloat16) {
    return objective_in_slices(head, x, labels, objective, Slices(tokens, count));
  }
  const Value logits = head.model.logits(head.kind, head.root, {.x = x});
  return objective(token_figures(logits, labels, head.label_smoothing));
}

}  // namespace portatune::tasks
