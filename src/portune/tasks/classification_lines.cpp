#include "portune/tasks/classification_lines.h"

#include <nlohmann/json.hpp>

#include "portune/tasks/json_number.h"

namespace portune::tasks {
namespace {

using Json = nlohmann::ordered_json;

// A sigmoid head tells the probability of label 1 alone.
std::vector<float> probabilities_of_all(const TextClassification::Prediction& prediction) {
  if (prediction.probabilities.size() > 1) return prediction.probabilities;
  return {1 - prediction.probabilities[0], prediction.probabilities[0]};
}

std::string line_of(const TextClassification::Prediction& prediction, const std::vector<std::string>& labels) {
  if (labels.empty()) return Json({{"score", shortest(prediction.logits[0])}}).dump() + "\n";
  return classes_json(prediction.label, labels, probabilities_of_all(prediction), prediction.logits).dump() + "\n";
}

}  // namespace

Json classes_json(const std::string& label, const std::vector<std::string>& labels,
                  std::span<const float> probabilities, std::span<const float> logits) {
  Json scores = Json::object(), numbers = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) scores[labels[i]] = shortest(probabilities[i]);
  for (const float logit : logits) numbers.push_back(shortest(logit));
  return {{"label", label}, {"score", scores[label]}, {"scores", scores}, {"logits", numbers}};
}

std::string ClassificationLines::take(const data::Example& batch, const data::Example& outputs) {
  std::string lines;
  for (const auto& prediction : task_.predictions(batch, outputs)) lines += line_of(prediction, task_.labels());
  return lines;
}

}  // namespace portune::tasks
