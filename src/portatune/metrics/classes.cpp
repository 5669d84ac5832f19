// Metrics of predicted and true classes.
#include <cmath>

#include "portatune/metrics.h"
#include "portatune/metrics/objections.h"

namespace portatune::metrics {
namespace {

using CountsOfAll = std::map<int64_t, ClassCounts>;

double sum(const CountsOfAll& counts, double ClassCounts::*count) {
  double sum = 0;
  for (const auto& [id, of_class] : counts) sum += of_class.*count;
  return sum;
}

// sum^2 - sum of squares, as products of each class with all others: exactly 0 if there is only one class.
double spread(const CountsOfAll& counts, double ClassCounts::*count) {
  const double all = sum(counts, count);
  double spread = 0;
  for (const auto& [id, of_class] : counts) spread += of_class.*count * (all - of_class.*count);
  return spread;
}

}  // namespace

const char* PositiveClassMetric::objection(float prediction, float target) const {
  const bool are_classes = (prediction == 0 || prediction == 1) && (target == 0 || target == 1);
  return are_classes ? nullptr : "classes 0 or 1";
}

void PositiveClassMetric::add(float prediction, float target, double weight) {
  counts_.hits += weight * prediction * target;
  counts_.predicted += weight * prediction;
  counts_.expected += weight * target;
}

const char* ClassCountsMetric::objection(float prediction, float target) const {
  return objection_to_ids(prediction, target);
}

void ClassCountsMetric::add(float prediction, float target, double weight) {
  counts_[static_cast<int64_t>(prediction)].predicted += weight;
  ClassCounts& of_target = counts_[static_cast<int64_t>(target)];
  of_target.expected += weight;
  if (prediction == target) of_target.hits += weight;
}

std::optional<double> ClassAverage::result() const {
  if (counts_.empty()) return std::nullopt;
  const ClassCounts all{.hits = sum(counts_, &ClassCounts::hits),
                        .predicted = sum(counts_, &ClassCounts::predicted),
                        .expected = sum(counts_, &ClassCounts::expected)};
  if (average_ == Average::kMicro) return (all.*score_)();
  double total = 0;
  for (const auto& [id, of_class] : counts_) {
    const double weight = average_ == Average::kMacro ? 1 : of_class.expected;
    total += weight * (of_class.*score_)().value_or(0);
  }
  return total / (average_ == Average::kMacro ? static_cast<double>(counts_.size()) : all.expected);
}

std::optional<double> MatthewsCorrelation::result() const {
  if (counts_.empty()) return std::nullopt;
  const double all = sum(counts_, &ClassCounts::expected);
  double covariance = 0;
  for (const auto& [id, of_class] : counts_) {
    covariance += of_class.hits * all - of_class.predicted * of_class.expected;
  }
  const double product = spread(counts_, &ClassCounts::predicted) * spread(counts_, &ClassCounts::expected);
  return product == 0 ? 0 : covariance / std::sqrt(product);
}

}  // namespace portatune::metrics
