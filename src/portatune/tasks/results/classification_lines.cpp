#include "portatune/tasks/results/classification_lines.h"

#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/tasks/rows/json_number.h"

namespace portatune::tasks {
namespace {

using Json = nlohmann::ordered_json;

Json scores_of(std::span<const float> probabilities, const std::vector<std::string>& labels) {
  Json scores = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] = shortest(probabilities[i]);
  return scores;
}

// The probabilities of all labels. A sigmoid head gives only that of label 1.
std::vector<float> probabilities_of_all(const TextClassification::Prediction& prediction) {
  if (prediction.probabilities.size() > 1) return prediction.probabilities;
  return {1 - prediction.probabilities[0], prediction.probabilities[0]};
}

Json object_of(const TextClassification::Prediction& prediction, const TextClassification& task) {
  if (task.head() == Head::kRegression) {
    if (task.labels().empty()) return {{"score", shortest(prediction.logits[0])}};
    return {{"scores", scores_of(prediction.logits, task.labels())}};
  }
  if (task.head() != Head::kMultiLabel) {
    return classes_json(prediction.label, task.labels(), probabilities_of_all(prediction), prediction.logits);
  }
  const Json scores = scores_of(prediction.probabilities, task.labels());
  return {{"labels", prediction.labels}, {"scores", scores}, {"logits", numbers(prediction.logits)}};
}

}  // namespace

Json classes_json(const std::string& label, const std::vector<std::string>& labels,
                  std::span<const float> probabilities, std::span<const float> logits) {
  const Json scores = scores_of(probabilities, labels);
  return {{"label", label}, {"score", scores.at(label)}, {"scores", scores}, {"logits", numbers(logits)}};
}

std::string ClassificationLines::take(const data::Example& batch, const data::Example& outputs) {
  std::string lines;
  for (const auto& prediction : task_.predictions(batch, outputs)) {
    lines += io::line_of(object_of(prediction, task_));
  }
  return lines;
}

}  // namespace portatune::tasks
