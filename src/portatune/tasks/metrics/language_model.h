// Metrics of masked and causal language models, from the outputs of language_modelling().
#pragma once

#include "portatune/tasks.h"

namespace portatune::tasks {

/// "perplexity" and "accuracy" over all labels; "next_sentence_accuracy" over all examples, if outputs have
/// "next_sentence_hits".
class LanguageModelMetrics final : public Metrics {
 public:
  void update(const data::Example& batch, const data::Example& outputs) override;
  Scores result() const override;

 private:
  double loss_ = 0, hits_ = 0, labels_ = 0, examples_ = 0, next_sentence_hits_ = 0;
  bool has_next_sentence_ = false;
};

/// {"loss": mean over the labels, "perplexity": ..., "labels": their number} for each example.
class LanguageModelLines final : public PredictionLines {
 public:
  std::string take(const data::Example& batch, const data::Example& outputs) override;
};

}  // namespace portatune::tasks
