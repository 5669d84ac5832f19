#include "portatune/tasks/objectives/objectives.h"

#include <algorithm>

#include "portatune/ops.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/objectives/class_losses.h"

namespace portatune::tasks {
namespace {

// 1 for each label that counts, otherwise 0.
Value counts(const Value& labels) {
  return convert(compare(Direction::kGreaterEqual, labels, full(labels.type(), 0)), DType::kFloat32);
}

Forward weighted(const Value& losses, const Value& weights, const Value& logits) {
  return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {{"logits", logits}}};
}

Forward weighted(const WeightedLosses& found, const Value& weights, const Value& logits) {
  return {.loss_sum = sum(found.losses * weights),
          .weight_sum = sum(found.weights * weights),
          .outputs = {{"logits", logits}}};
}

Value sequence_losses(Problem problem, const Value& logits, const Value& labels, const LossOptions& options) {
  switch (problem) {
    case Problem::kSingleLabel:
      return softmax_cross_entropy(logits, labels);
    case Problem::kMultiLabel:
      return mean(
          options == LossOptions() ? sigmoid_cross_entropy(logits, labels) : sigmoid_losses(logits, labels, options),
          {1});
    case Problem::kRegression:
      break;
  }
  const Value difference = logits - labels;
  return mean(difference * difference, {1});
}

// The mean loss of the positions within the sequence, times the sum of all weights. Negative positions count as 0.
Value position_loss(const Value& logits, const Value& given, const Value& weights) {
  const Value position = maximum(given, full(given.type(), 0));
  const Value end = full(position.type(), static_cast<double>(logits.shape()[1]));
  const Value counted = weights * convert(compare(Direction::kLess, position, end), DType::kFloat32);
  const Value all = sum(weights), inside = sum(counted), zero = full(all.type(), 0);
  // Exactly 1 if all positions are inside, so that parts of a batch add up to the whole.
  const Value scale = select(compare(Direction::kGreater, inside, zero), all / inside, zero);
  return sum(softmax_cross_entropy(logits, position) * counted) * scale;
}

}  // namespace

int64_t count_labels(const Tensor& labels, size_t row) {
  const auto length = static_cast<size_t>(labels.shape()[1]);
  const std::span<const int32_t> of_row = labels.as<int32_t>().subspan(row * length, length);
  return std::ssize(of_row) - std::ranges::count(of_row, kNoLabel);
}

Forward sequence_classification(Problem problem, const Value& logits, const Value& labels, const Value& weights,
                                const LossOptions& options) {
  if (problem != Problem::kSingleLabel || options == LossOptions()) {
    return weighted(sequence_losses(problem, logits, labels, options), weights, logits);
  }
  return weighted(softmax_losses(logits, labels, options), weights, logits);
}

Forward token_classification(const Value& logits, const Value& labels, const Value& weights,
                             const LossOptions& options) {
  const Value of_texts = reshape(weights, {-1, 1});
  if (options != LossOptions()) return weighted(softmax_losses(logits, labels, options), of_texts, logits);
  return weighted(softmax_cross_entropy(logits, labels), counts(labels) * of_texts, logits);
}

std::vector<std::pair<std::string, Value>> ids_of_logits(std::string_view name, const Value& logits) {
  return {{std::string(name), argmax(logits, 2)}, {"highest_logit", max(logits, {1, 2})}};
}

Forward replaced_token_detection(const Value& logits, const Value& labels, const Value& attention_mask,
                                 const Value& weights) {
  const Value is_token = convert(attention_mask, DType::kFloat32);
  return weighted(sigmoid_cross_entropy(logits, labels), is_token * reshape(weights, {-1, 1}), logits);
}

Value next_labels(const Value& labels) {
  const Shape& s = labels.shape();
  return concatenate({slice(labels, 1, {1, s[1]}), full({labels.dtype(), {s[0], 1}}, kNoLabel)}, 1);
}

Forward next_token_prediction(const Value& logits, const Value& labels, const Value& weights) {
  return token_classification(logits, next_labels(labels), weights);
}

TokenFigures token_figures(const Value& logits, const Value& labels, double label_smoothing) {
  const Value is_hit = compare(Direction::kGreaterEqual, label_logits(logits, labels), highest_logits(logits));
  return {smoothed_cross_entropy(logits, labels, label_smoothing), convert(is_hit, DType::kFloat32)};
}

Forward language_modelling(const Value& logits, const Value& labels, const Value& weights) {
  return language_modelling(token_figures(logits, labels), labels, weights);
}

Forward language_modelling(const TokenFigures& figures, const Value& labels, const Value& weights) {
  const Value counted = counts(labels);
  const Value loss = sum(figures.losses * counted, {1}), hits = sum(figures.hits * counted, {1});
  const Value number = sum(counted, {1});
  return {.loss_sum = sum(loss * weights),
          .weight_sum = sum(number * weights),
          .outputs = {{"loss", loss}, {"hits", hits}, {"labels", number}}};
}

Forward with_next_sentence(const Forward& language_model, const Value& logits, const Value& labels,
                           const Value& weights) {
  const Value examples = sum(weights);
  const Value labelled = maximum(language_model.weight_sum, full({DType::kFloat32, {}}, 1));
  const Value hits = convert(compare(Direction::kEqual, argmax(logits, 1), labels), DType::kFloat32);
  Forward forward = language_model;
  forward.loss_sum =
      language_model.loss_sum / labelled * examples + sum(softmax_cross_entropy(logits, labels) * weights);
  forward.weight_sum = examples;
  forward.outputs.emplace_back("next_sentence_hits", hits);
  return forward;
}

Forward span_prediction(const Value& logits, const Value& start, const Value& end, const Value& weights) {
  const Shape& s = logits.shape();
  const auto side = [&](int64_t i) { return reshape(slice(logits, 2, {i, i + 1}), {s[0], s[1]}); };
  const Value start_logits = side(0), end_logits = side(1);
  return {.loss_sum = (position_loss(start_logits, start, weights) + position_loss(end_logits, end, weights)) * 0.5,
          .weight_sum = sum(weights),
          .outputs = {{"start_logits", start_logits}, {"end_logits", end_logits}}};
}

}  // namespace portatune::tasks
