// Classes, probabilities and metrics from logits.
#pragma once

#include <span>
#include <vector>

#include "portatune/metrics.h"
#include "portatune/text_classification.h"

namespace portatune::tasks {

/// The class that the logits of one example predict; with a sigmoid head 1 for a probability of at least one half.
int64_t predicted_class(Head head, std::span<const float> logits);

/// Softmax of the logits, or the sigmoid of each.
std::vector<float> probabilities(Head head, std::span<const float> logits);

/// "accuracy" and "matthews_correlation"; for two classes also "f1" (of the second) and "roc_auc", for more "f1_macro".
/// Reads "labels" and the example weights of batches, and "logits" of outputs.
class ClassificationMetrics final : public Metrics {
 public:
  ClassificationMetrics(Head head, int64_t classes) : head_(head), classes_(classes) {}
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  const Head head_;
  const int64_t classes_;
  metrics::Accuracy accuracy_;
  metrics::F1 f1_;
  metrics::MacroF1 macro_f1_;
  metrics::MatthewsCorrelation matthews_;
  metrics::RocAuc roc_auc_;
};

/// "f1_micro", "f1_macro", "accuracy" (of whole rows) and "roc_auc_macro", named as in scikit-learn. A label that is
/// neither predicted nor true counts as 0 in f1_macro. roc_auc_macro needs examples with and without each label, and is
/// absent otherwise.
class MultiLabelMetrics final : public Metrics {
 public:
  explicit MultiLabelMetrics(int64_t labels)
      : f1_(static_cast<size_t>(labels)), roc_auc_(static_cast<size_t>(labels)) {}
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  metrics::F1 micro_;
  std::vector<metrics::F1> f1_;           // one per label
  std::vector<metrics::RocAuc> roc_auc_;  // one per label
  metrics::Mean accuracy_;
};

/// "pearson" and "spearmanr" of the one logit and the label.
class RegressionMetrics final : public Metrics {
 public:
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  metrics::PearsonCorrelation pearson_;
  metrics::SpearmanCorrelation spearman_;
};

}  // namespace portatune::tasks
