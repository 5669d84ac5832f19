// Classes, probabilities and metrics from logits.
#pragma once

#include <span>
#include <vector>

#include "portatune/tasks/metrics/named_metrics.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// The class that the logits of one example predict; with a sigmoid head 1 for a probability of at least one half.
int64_t predicted_class(Head head, std::span<const float> logits);

/// Softmax of the logits, or the sigmoid of each.
std::vector<float> probabilities(Head head, std::span<const float> logits);

/// The rows of a batch that have one class, several labels, or numbers. Reads "labels" and the example weights of the
/// batch, and "logits" of the outputs.
ScoredRows scored_classes(Head head, const data::Example& batch, const data::Example& outputs);
ScoredRows scored_labels(const data::Example& batch, const data::Example& outputs);
ScoredRows scored_numbers(const data::Example& batch, const data::Example& outputs);

/// Metrics of one class in each row. Names and meaning: docs/results/metrics.md. By default "accuracy" and
/// "matthews_correlation"; for two classes also "f1" (of the second) and "roc_auc", for more "f1_macro".
class ClassificationMetrics final : public NamedMetrics {
 public:
  /// names   see NamedMetrics
  /// more    names beside the defaults
  ClassificationMetrics(Head head, int64_t classes, const std::vector<std::string>& names = {},
                        const std::vector<std::string>& more = {});

 private:
  ScoredRows read(const data::Example& batch, const data::Example& outputs) const override;

  const Head head_;
};

/// Metrics of several labels in each row; by default "f1_micro", "f1_macro", "accuracy" (of whole rows) and
/// "roc_auc_macro". A label that is neither predicted nor true counts as 0 in f1_macro. roc_auc_macro needs examples
/// with and without each label, and is absent otherwise.
class MultiLabelMetrics final : public NamedMetrics {
 public:
  explicit MultiLabelMetrics(int64_t labels, const std::vector<std::string>& names = {});

 private:
  ScoredRows read(const data::Example& batch, const data::Example& outputs) const override;
};

/// Metrics of one or several numbers in each row, as means over these numbers; by default "pearson" and "spearmanr".
class RegressionMetrics final : public NamedMetrics {
 public:
  explicit RegressionMetrics(int64_t targets = 1, const std::vector<std::string>& names = {});

 private:
  ScoredRows read(const data::Example& batch, const data::Example& outputs) const override;
};

}  // namespace portatune::tasks
