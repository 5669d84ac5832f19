#include <cmath>

#include "portatune/metrics.h"

namespace portatune::metrics {

const char* BinaryMetric::objection(float prediction, float target) const {
  const bool are_classes = (prediction == 0 || prediction == 1) && (target == 0 || target == 1);
  return are_classes ? nullptr : "classes 0 or 1";
}

void BinaryMetric::add(float prediction, float target, double weight) {
  double& predicted_and_true = prediction == 1 ? (target == 1 ? counts_.true_positives : counts_.false_positives)
                                               : (target == 1 ? counts_.false_negatives : counts_.true_negatives);
  predicted_and_true += weight;
}

std::optional<double> F1::result() const {
  const double all = 2 * counts_.true_positives + counts_.false_positives + counts_.false_negatives;
  return all == 0 ? std::nullopt : std::optional(2 * counts_.true_positives / all);
}

std::optional<double> MatthewsCorrelation::result() const {
  const auto [tp, fp, fn, tn] = counts_;
  if (tp + fp + fn + tn == 0) return std::nullopt;
  const double spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
  return spread == 0 ? 0 : (tp * tn - fp * fn) / std::sqrt(spread);
}

}  // namespace portatune::metrics
