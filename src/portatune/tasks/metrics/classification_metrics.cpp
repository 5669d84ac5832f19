#include "portatune/tasks/metrics/classification_metrics.h"

#include <algorithm>
#include <cmath>

namespace portatune::tasks {
namespace {

void append(Scores& scores, const char* name, const metrics::Metric& metric) {
  if (const auto value = metric.result()) scores.emplace_back(name, *value);
}

}  // namespace

int64_t predicted_class(Head head, std::span<const float> logits) {
  if (head == Head::kSigmoid) return logits[0] >= 0 ? 1 : 0;
  return std::ranges::max_element(logits) - logits.begin();
}

std::vector<float> probabilities(Head head, std::span<const float> logits) {
  std::vector<float> result;
  if (head != Head::kSoftmax) {
    for (const float logit : logits) result.push_back(1 / (1 + std::exp(-logit)));
    return result;
  }
  const float highest = std::ranges::max(logits);
  float total = 0;
  for (const float logit : logits) total += result.emplace_back(std::exp(logit - highest));
  for (float& probability : result) probability /= total;
  return result;
}

void ClassificationMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const std::span<const int32_t> labels = batch.tensor("labels").as<int32_t>();
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const size_t width = logits.size() / labels.size();
  const std::vector<float> targets(labels.begin(), labels.end());
  std::vector<float> predicted, scores;
  for (size_t row = 0; row < labels.size(); ++row) {
    const std::span<const float> of_row = logits.subspan(row * width, width);
    predicted.push_back(static_cast<float>(predicted_class(head_, of_row)));
    if (classes_ == 2) scores.push_back(width == 1 ? of_row[0] : of_row[1] - of_row[0]);
  }
  accuracy_.update(predicted, targets, weights);
  matthews_.update(predicted, targets, weights);
  if (classes_ != 2) {
    macro_f1_.update(predicted, targets, weights);
    return;
  }
  f1_.update(predicted, targets, weights);
  roc_auc_.update(scores, targets, weights);
}

Scores ClassificationMetrics::result() const {
  Scores scores;
  append(scores, "accuracy", accuracy_);
  if (classes_ == 2) append(scores, "f1", f1_);
  if (classes_ > 2) append(scores, "f1_macro", macro_f1_);
  append(scores, "matthews_correlation", matthews_);
  if (classes_ == 2) append(scores, "roc_auc", roc_auc_);
  return scores;
}

void MultiLabelMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const std::span<const float> targets = batch.tensor("labels").as<float>();
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const size_t labels = f1_.size(), rows = weights.size();
  std::vector<float> right(rows, 1);
  for (size_t label = 0; label < labels; ++label) {
    std::vector<float> scores, predicted, wanted;
    for (size_t row = 0; row < rows; ++row) {
      const size_t at = row * labels + label;
      scores.push_back(logits[at]);
      predicted.push_back(logits[at] >= 0 ? 1.0F : 0.0F);
      wanted.push_back(targets[at]);
      if (predicted.back() != wanted.back()) right[row] = 0;
    }
    micro_.update(predicted, wanted, weights);
    f1_[label].update(predicted, wanted, weights);
    roc_auc_[label].update(scores, wanted, weights);
  }
  accuracy_.update(right, right, weights);
}

Scores MultiLabelMetrics::result() const {
  Scores scores;
  append(scores, "f1_micro", micro_);
  double f1 = 0, roc_auc = 0;
  for (const metrics::F1& of_label : f1_) f1 += of_label.result().value_or(0) / static_cast<double>(f1_.size());
  if (micro_.result()) scores.emplace_back("f1_macro", f1);
  append(scores, "accuracy", accuracy_);
  for (const metrics::RocAuc& of_label : roc_auc_) {
    if (!of_label.result()) return scores;
    roc_auc += *of_label.result() / static_cast<double>(roc_auc_.size());
  }
  scores.emplace_back("roc_auc_macro", roc_auc);
  return scores;
}

void RegressionMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>(), targets = batch.tensor("labels").as<float>();
  const auto predictions = outputs.tensor("logits").as<float>();
  pearson_.update(predictions, targets, weights);
  spearman_.update(predictions, targets, weights);
}

Scores RegressionMetrics::result() const {
  Scores scores;
  append(scores, "pearson", pearson_);
  append(scores, "spearmanr", spearman_);
  return scores;
}

}  // namespace portatune::tasks
