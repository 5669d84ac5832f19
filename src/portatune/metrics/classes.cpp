// Metrics of predicted and true classes.
#include <cmath>

#include "portatune/metrics.h"

namespace portatune::metrics {
namespace {

using Counts = ClassCountsMetric::Counts;
using ClassCounts = std::map<int64_t, Counts>;

double sum(const ClassCounts& counts, double Counts::*count) {
  double sum = 0;
  for (const auto& [id, of_class] : counts) sum += of_class.*count;
  return sum;
}

// sum^2 - sum of squares, as products of each class with all others: exactly 0 if there is only one class.
double spread(const ClassCounts& counts, double Counts::*count) {
  const double all = sum(counts, count);
  double spread = 0;
  for (const auto& [id, of_class] : counts) spread += of_class.*count * (all - of_class.*count);
  return spread;
}

}  // namespace

const char* F1::objection(float prediction, float target) const {
  const bool are_classes = (prediction == 0 || prediction == 1) && (target == 0 || target == 1);
  return are_classes ? nullptr : "classes 0 or 1";
}

void F1::add(float prediction, float target, double weight) {
  hits_ += weight * prediction * target;
  predicted_and_true_ += weight * (prediction + target);
}

std::optional<double> F1::result() const {
  return predicted_and_true_ == 0 ? std::nullopt : std::optional(2 * hits_ / predicted_and_true_);
}

const char* ClassCountsMetric::objection(float prediction, float target) const {
  const bool are_ids = std::trunc(prediction) == prediction && std::trunc(target) == target;
  return are_ids ? nullptr : "class ids";
}

void ClassCountsMetric::add(float prediction, float target, double weight) {
  counts_[static_cast<int64_t>(prediction)].predicted += weight;
  Counts& of_target = counts_[static_cast<int64_t>(target)];
  of_target.expected += weight;
  if (prediction == target) of_target.hits += weight;
}

std::optional<double> MacroF1::result() const {
  if (counts_.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [id, of_class] : counts_) sum += 2 * of_class.hits / (of_class.predicted + of_class.expected);
  return sum / static_cast<double>(counts_.size());
}

std::optional<double> MatthewsCorrelation::result() const {
  if (counts_.empty()) return std::nullopt;
  const double all = sum(counts_, &Counts::expected);
  double covariance = 0;
  for (const auto& [id, of_class] : counts_) {
    covariance += of_class.hits * all - of_class.predicted * of_class.expected;
  }
  const double product = spread(counts_, &Counts::predicted) * spread(counts_, &Counts::expected);
  return product == 0 ? 0 : covariance / std::sqrt(product);
}

}  // namespace portatune::metrics
