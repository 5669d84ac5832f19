// Errors of predicted numbers and probabilities.
#include <algorithm>
#include <cmath>

#include "portatune/metrics.h"
#include "portatune/metrics/objections.h"
#include "portatune/metrics/quotient.h"

namespace portatune::metrics {

const char* MeanError::objection(float prediction, float target) const {
  return objection_to_numbers(prediction, target);
}

void MeanError::add(float prediction, float target, double weight) {
  sum_ += weight * error(static_cast<double>(prediction) - target);
  weight_ += weight;
}

std::optional<double> MeanError::result() const { return quotient(sum_, weight_); }

std::optional<double> R2::result() const {
  double weight = 0, mean = 0;
  for (const Example& e : examples_) {
    weight += e.weight;
    mean += e.weight * e.target;
  }
  // The deviations below are rounded, and would not be 0 for equal targets.
  const auto is_first = [&](const Example& e) { return e.target == examples_.front().target; };
  if (weight == 0 || std::ranges::all_of(examples_, is_first)) return std::nullopt;
  mean /= weight;
  double errors = 0, deviations = 0;
  for (const Example& e : examples_) {
    const double error = static_cast<double>(e.prediction) - e.target, deviation = e.target - mean;
    errors += e.weight * error * error;
    deviations += e.weight * deviation * deviation;
  }
  if (deviations == 0) return std::nullopt;
  return 1 - errors / deviations;
}

const char* CalibrationError::objection(float prediction, float target) const {
  if (target != 0 && target != 1) return "a target of 0 or 1";
  return prediction >= 0 && prediction <= 1 ? nullptr : "a confidence from 0 to 1";
}

void CalibrationError::add(float prediction, float target, double weight) {
  const double count = static_cast<double>(bins_.size());
  Bin& bin = bins_.at(static_cast<size_t>(std::min(std::floor(prediction * count), count - 1)));
  bin.weight += weight;
  bin.confidence += weight * prediction;
  bin.hits += weight * target;
}

std::optional<double> CalibrationError::result() const {
  double weight = 0, sum = 0;
  for (const Bin& bin : bins_) {
    weight += bin.weight;
    sum += std::abs(bin.hits - bin.confidence);
  }
  return quotient(sum, weight);
}

}  // namespace portatune::metrics
