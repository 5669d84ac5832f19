// From logits to classes, probabilities and figures.
#pragma once

#include <span>
#include <vector>

#include "portune/metrics.h"
#include "portune/text_classification.h"

namespace portune::tasks {

/// The class that the logits of one example say; with a sigmoid head 1 from a probability of one half on.
int64_t predicted_class(Head head, std::span<const float> logits);

/// Softmax of the logits, or the sigmoid of the one.
std::vector<float> probabilities(Head head, std::span<const float> logits);

/// "accuracy" and, for two classes, "f1" (of the second), "matthews_correlation" and "roc_auc". Reads "labels" and the
/// example weights of batches, "logits" of outputs.
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
  metrics::MatthewsCorrelation matthews_;
  metrics::RocAuc roc_auc_;
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

}  // namespace portune::tasks
