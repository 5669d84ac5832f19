#include "portatune/tasks/objectives/class_losses.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/objectives/heads.h"

namespace portatune::tasks {
namespace {

// The weights repeated for all rows of x [..., weights].
Value weights_like(const Value& x, const std::vector<float>& weights) {
  if (weights.empty()) return full(x.type(), 1);
  return broadcast_to(constant(Tensor({std::ssize(weights)}, std::span<const float>(weights))), x.shape());
}

// (1 - p)^gamma from log(1 - p).
Value focal_factor(const Value& log_rest, double gamma) { return exp(log_rest * gamma); }

// The gradient of log(1 - p) is not finite for p = 1; below this number it is 0.
constexpr double kSmallestRest = 1e-12;

void require(bool holds, const char* option, const std::string& given, const std::string& expected) {
  if (!holds) throw UsageError({.where = option, .given = given, .expected = expected});
}

void require_head(bool is_given, const char* option, Head head, bool has_it, const char* heads) {
  if (is_given) require(has_it, option, "a " + std::string(name_of(head)) + " head", heads);
}

std::string text_of(const std::vector<float>& weights) {
  std::vector<std::string> texts;
  for (const float weight : weights) texts.push_back(to_text(weight));
  return list_of(texts, texts.size());
}

void require_weights(const char* option, const std::vector<float>& weights, size_t labels) {
  if (weights.empty()) return;
  require(weights.size() == labels, option, std::to_string(weights.size()) + " weights for " + std::to_string(labels),
          "a weight for each label");
  const auto is_weight = [](float weight) { return std::isfinite(weight) && weight > 0; };
  require(std::ranges::all_of(weights, is_weight), option, text_of(weights), "finite numbers above 0");
}

}  // namespace

WeightedLosses softmax_losses(const Value& logits, const Value& labels, const LossOptions& options) {
  const int64_t last = logits.rank() - 1;
  const Value log_p = log_softmax(logits, last);
  const Value ids = iota({labels.dtype(), logits.shape()}, last);
  const Value is_label = convert(compare(Direction::kEqual, ids, expand_dims(labels, last)), DType::kFloat32);
  const Value weights = weights_like(logits, options.class_weights);
  Value target = is_label;
  if (options.label_smoothing > 0) {
    const Value is_labelled = broadcast_to(sum(is_label, {last}, ReducedAxes::kKeep), logits.shape());
    const double share = options.label_smoothing / static_cast<double>(logits.shape()[last]);
    target = is_label * (1 - options.label_smoothing) + is_labelled * share;
  }
  Value losses = target * weights * -log_p;
  if (options.focal_gamma > 0) {
    const Value rest = maximum(-expm1(log_p), full(logits.type(), kSmallestRest));
    losses = losses * focal_factor(log(rest), options.focal_gamma);
  }
  return {sum(losses, {last}), sum(is_label * weights, {last})};
}

Value sigmoid_losses(const Value& logits, const Value& labels, const LossOptions& options) {
  const Value of_positive = sigmoid_cross_entropy(logits, full(logits.type(), 1));  // -log p
  const Value of_negative = sigmoid_cross_entropy(logits, full(logits.type(), 0));  // -log(1 - p)
  const Value y = convert(labels, logits.dtype());
  Value positive = y * weights_like(logits, options.positive_weights) * of_positive;
  Value negative = (1.0 - y) * of_negative;
  if (options.focal_gamma > 0) {
    positive = positive * focal_factor(-of_negative, options.focal_gamma);
    negative = negative * focal_factor(-of_positive, options.focal_gamma);
  }
  return positive + negative;
}

void check(const LossOptions& options, Head head, size_t labels) {
  const bool is_softmax = head == Head::kSoftmax, has_classes = head != Head::kRegression;
  require_head(options.label_smoothing != 0, "label_smoothing_factor", head, is_softmax, "a softmax head");
  require_head(!options.class_weights.empty(), "class_weights", head, is_softmax,
               "a softmax head; others have positive_weights");
  require_head(!options.positive_weights.empty(), "positive_weights", head, has_classes && !is_softmax,
               "a sigmoid head, or one of several labels; a softmax head has class_weights");
  require_head(options.focal_gamma != 0, "focal_gamma", head, has_classes, "a head of classes");
  require(options.label_smoothing >= 0 && options.label_smoothing < 1, "label_smoothing_factor",
          to_text(options.label_smoothing), "a number of at least 0 and below 1");
  require(options.focal_gamma >= 0 && std::isfinite(options.focal_gamma), "focal_gamma", to_text(options.focal_gamma),
          "a finite number of at least 0");
  require_weights("class_weights", options.class_weights, labels);
  require_weights("positive_weights", options.positive_weights, head == Head::kSigmoid ? 1 : labels);
}

LossOptions loss_options(const LossOptions& options, const nn::Scope& root) {
  return root.options().training ? options : LossOptions();
}

std::map<std::string, std::string> settings_of(const LossOptions& options) {
  std::map<std::string, std::string> settings;
  if (options.label_smoothing != 0) settings["label_smoothing_factor"] = to_text(options.label_smoothing);
  if (options.focal_gamma != 0) settings["focal_gamma"] = to_text(options.focal_gamma);
  if (!options.class_weights.empty()) settings["class_weights"] = text_of(options.class_weights);
  if (!options.positive_weights.empty()) settings["positive_weights"] = text_of(options.positive_weights);
  return settings;
}

}  // namespace portatune::tasks
