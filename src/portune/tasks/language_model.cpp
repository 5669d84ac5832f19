#include "portune/tasks/language_model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "portune/ops.h"

namespace portune::tasks {

Forward language_model(const Value& logits, const Value& labels, const Value& weights) {
  const Value classes = iota({labels.dtype(), logits.shape()}, 2);
  const Value is_label =
      compare(Direction::kEqual, classes, reshape(labels, {labels.shape()[0], labels.shape()[1], 1}));
  const Value counts = convert(compare(Direction::kGreaterEqual, labels, full(labels.type(), 0)), DType::kFloat32);
  const Value zero = full({DType::kFloat32, {}}, 0);
  // -log softmax = log of the sum of exponentials - logit; less to keep for the backward pass than log_softmax is.
  const Value highest = stop_gradient(max(logits, {2}, ReducedAxes::kKeep));
  const Value log_total = log(sum(exp(logits - highest), {2})) + reshape(highest, labels.shape());
  const Value of_label = sum(select(is_label, logits, broadcast_to(zero, logits.shape())), {2});
  const Value losses = (log_total - of_label) * counts;  // [batch, seq]
  const Value is_hit = compare(Direction::kGreaterEqual, of_label, reshape(highest, labels.shape()));
  const Value hits = convert(is_hit, DType::kFloat32) * counts;
  const Value loss = sum(losses, {1}), number = sum(counts, {1});
  return {.loss_sum = sum(loss * weights),
          .weight_sum = sum(number * weights),
          .outputs = {{"loss", loss}, {"hits", sum(hits, {1})}, {"labels", number}}};
}

void LanguageModelMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto add = [&](const char* name, double& total) {
    const auto values = outputs.tensor(name).as<float>();
    for (size_t row = 0; row < weights.size(); ++row) total += static_cast<double>(weights[row]) * values[row];
  };
  add("loss", loss_);
  add("hits", hits_);
  add("labels", labels_);
}

Scores LanguageModelMetrics::result() const {
  if (labels_ == 0) return {};
  return {{"perplexity", std::exp(loss_ / labels_)}, {"accuracy", hits_ / labels_}};
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
    lines += line.dump() + "\n";
  }
  return lines;
}

}  // namespace portune::tasks
