// Predicted classes as lines of JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// {"label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}
/// probabilities  probability of each label
nlohmann::ordered_json classes_json(const std::string& label, const std::vector<std::string>& labels,
                                    std::span<const float> probabilities, std::span<const float> logits);

class ClassificationLines final : public PredictionLines {
 public:
  explicit ClassificationLines(const TextClassification& task) : task_(task) {}
  std::string take(const data::Example& batch, const data::Example& outputs) override;

 private:
  const TextClassification& task_;
};

}  // namespace portatune::tasks
