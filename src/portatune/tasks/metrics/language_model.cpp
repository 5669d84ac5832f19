#include "portatune/tasks/metrics/language_model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"

namespace portatune::tasks {

void LanguageModelMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto add = [&](const char* name, double& total) {
    const auto values = outputs.tensor(name).as<float>();
    for (size_t row = 0; row < weights.size(); ++row) total += static_cast<double>(weights[row]) * values[row];
  };
  add("loss", loss_);
  add("hits", hits_);
  add("labels", labels_);
  has_next_sentence_ = outputs.has("next_sentence_hits");
  if (!has_next_sentence_) return;
  add("next_sentence_hits", next_sentence_hits_);
  for (const float weight : weights) examples_ += weight;
}

Scores LanguageModelMetrics::result() const {
  if (labels_ == 0) return {};
  Scores scores = {{"perplexity", std::exp(loss_ / labels_)}, {"accuracy", hits_ / labels_}};
  if (has_next_sentence_) scores.emplace_back("next_sentence_accuracy", next_sentence_hits_ / examples_);
  return scores;
}

std::string LanguageModelLines::take(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto losses = outputs.tensor("loss").as<float>(), labels = outputs.tensor("labels").as<float>();
  std::string lines;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    nlohmann::ordered_json line = {
        {"loss", nullptr}, {"perplexity", nullptr}, {"labels", static_cast<int64_t>(labels[row])}};
    if (labels[row] > 0) {
      const double mean = static_cast<double>(losses[row]) / labels[row];
      line["loss"] = mean;
      line["perplexity"] = std::exp(mean);
    }
    lines += io::line_of(line);
  }
  return lines;
}

}  // namespace portatune::tasks
