// What is reported of language models, masked or causal; from the outputs of language_modelling().
#pragma once

#include "portune/tasks.h"

namespace portune::tasks {

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
