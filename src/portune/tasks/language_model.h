// The loss and the figures of language models, masked or causal.
#pragma once

#include "portune/tasks.h"

namespace portune::tasks {

/// logits  float32 [batch, seq, vocab]; labels int32 [batch, seq], below 0 where there is nothing to predict;
///         weights float32 [batch] of the examples
/// The loss is the softmax cross-entropy over all labels. Outputs, float32 [batch] each, instead of the logits, which
/// are too many to be looked at on the host: "loss" and "hits" summed over an example's labels, and their number,
/// "labels".
Forward language_model(const Value& logits, const Value& labels, const Value& weights);

/// "perplexity" and "accuracy" over all labels.
class LanguageModelMetrics final : public Metrics {
 public:
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  double loss_ = 0, hits_ = 0, labels_ = 0;
};

/// {"loss": mean over the labels, "perplexity": ..., "labels": their number} for each example.
class LanguageModelLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override;
};

}  // namespace portune::tasks
