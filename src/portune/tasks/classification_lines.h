// Predicted classes as lines of JSON.
#pragma once

#include "portune/text_classification.h"

namespace portune::tasks {

class ClassificationLines final : public PredictionLines {
 public:
  explicit ClassificationLines(const TextClassification& task) : task_(task) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;

 private:
  const TextClassification& task_;
};

}  // namespace portune::tasks
