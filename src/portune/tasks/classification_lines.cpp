#include "portune/tasks/classification_lines.h"

#include <nlohmann/json.hpp>

#include "portune/tasks/json_number.h"

namespace portune::tasks {
namespace {

using Json = nlohmann::ordered_json;

Json numbers(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(shortest(value));
  return list;
}

Json scores_of(const std::vector<float>& probabilities, const std::vector<std::string>& labels) {
  Json scores = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] = shortest(probabilities[i]);
  return scores;
}

// A sigmoid head tells the probability of label 1 alone.
std::vector<float> probabilities_of_all(const TextClassification::Prediction& prediction) {
  if (prediction.probabilities.size() > 1) return prediction.probabilities;
  return {1 - prediction.probabilities[0], prediction.probabilities[0]};
}

Json object_of(const TextClassification::Prediction& prediction, const TextClassification& task) {
  if (task.head() == Head::kRegression) return {{"score", shortest(prediction.logits[0])}};
  const Json logits = numbers(prediction.logits);
  if (task.head() == Head::kMultiLabel) {
    const Json scores = scores_of(prediction.probabilities, task.labels());
    return {{"labels", prediction.labels}, {"scores", scores}, {"logits", logits}};
  }
  const Json scores = scores_of(probabilities_of_all(prediction), task.labels());
  return {{"label", prediction.label}, {"score", scores.at(prediction.label)}, {"scores", scores}, {"logits", logits}};
}

}  // namespace

std::string ClassificationLines::take(const data::Example& batch, const data::Example& outputs) {
  std::string lines;
  for (const auto& prediction : task_.predictions(batch, outputs)) {
    lines += object_of(prediction, task_).dump() + "\n";
  }
  return lines;
}

}  // namespace portune::tasks
