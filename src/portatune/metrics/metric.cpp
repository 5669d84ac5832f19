#include <algorithm>
#include <cmath>
#include <string>

#include "portatune/error.h"
#include "portatune/metrics.h"
#include "portatune/metrics/objections.h"
#include "portatune/metrics/quotient.h"

namespace portatune::metrics {
namespace {

void require_length(const char* what, size_t length, size_t rows) {
  if (length == rows) return;
  throw UsageError({.where = "metric update",
                    .given = std::to_string(length) + " " + what + " for " + std::to_string(rows) + " predictions",
                    .expected = "one for each"});
}

[[noreturn]] void refuse(size_t row, const std::string& given, const char* expected) {
  throw DataError(
      {.where = "metric update, row " + std::to_string(row) + " of the batch", .given = given, .expected = expected});
}

double weight_of(std::span<const float> weights, size_t row) {
  if (weights.empty()) return 1;
  const float weight = weights[row];
  if (!std::isfinite(weight) || weight < 0) {
    refuse(row, "the weight " + std::to_string(weight), "a finite weight of at least 0");
  }
  return weight;
}

}  // namespace

void Accumulator::update(std::span<const float> predictions, std::span<const float> targets,
                         std::span<const float> weights) {
  const size_t rows = predictions.size();
  require_length("targets", targets.size(), rows);
  if (!weights.empty()) require_length("weights", weights.size(), rows);
  for (size_t row = 0; row < rows; ++row) {
    if (weight_of(weights, row) == 0) continue;
    if (const char* expected = objection(predictions[row], targets[row])) {
      refuse(row, "prediction " + std::to_string(predictions[row]) + ", target " + std::to_string(targets[row]),
             expected);
    }
  }
  for (size_t row = 0; row < rows; ++row) {
    const double weight = weight_of(weights, row);
    if (weight != 0) add(predictions[row], targets[row], weight);
  }
}

const char* Mean::objection(float, float) const { return nullptr; }

void Mean::add(float prediction, float, double weight) {
  sum_ += weight * prediction;
  weight_ += weight;
}

std::optional<double> Mean::result() const { return quotient(sum_, weight_); }

const char* Accuracy::objection(float prediction, float target) const { return objection_to_ids(prediction, target); }

void Accuracy::add(float prediction, float target, double weight) {
  if (prediction == target) hits_ += weight;
  weight_ += weight;
}

std::optional<double> Accuracy::result() const { return quotient(hits_, weight_); }

std::vector<float> argmax(std::span<const float> scores, int64_t classes) {
  if (classes <= 0 || scores.size() % static_cast<size_t>(classes) != 0) {
    throw UsageError({.where = "argmax",
                      .given = std::to_string(scores.size()) + " scores for " + std::to_string(classes) + " classes",
                      .expected = "a row of scores, one for each class, per example"});
  }
  std::vector<float> ids;
  for (auto row = scores.begin(); row != scores.end(); row += classes) {
    // An order in which a NaN is above all numbers, so that the first NaN wins.
    const auto best =
        std::max_element(row, row + classes, [](float a, float b) { return !std::isnan(a) && !(a >= b); });
    ids.push_back(static_cast<float>(best - row));
  }
  return ids;
}

}  // namespace portatune::metrics
