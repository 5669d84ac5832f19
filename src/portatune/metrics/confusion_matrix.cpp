#include <cmath>
#include <string>

#include "portatune/error.h"
#include "portatune/metrics.h"
#include "portatune/metrics/quotient.h"

namespace portatune::metrics {

std::optional<double> ClassCounts::precision() const { return quotient(hits, predicted); }
std::optional<double> ClassCounts::recall() const { return quotient(hits, expected); }
std::optional<double> ClassCounts::f1() const { return quotient(2 * hits, predicted + expected); }

ConfusionMatrix::ConfusionMatrix(int64_t classes) : classes_(classes) {
  if (classes < 1) {
    throw UsageError(
        {.where = "confusion matrix", .given = std::to_string(classes) + " classes", .expected = "one or more"});
  }
  reset();
}

double ConfusionMatrix::count(int64_t target, int64_t predicted) const {
  return counts_.at(static_cast<size_t>(target * classes_ + predicted));
}

ClassCounts ConfusionMatrix::of_class(int64_t id) const {
  ClassCounts counts{.hits = count(id, id)};
  for (int64_t other = 0; other < classes_; ++other) {
    counts.predicted += count(other, id);
    counts.expected += count(id, other);
  }
  return counts;
}

void ConfusionMatrix::reset() { counts_.assign(static_cast<size_t>(classes_ * classes_), 0); }

const char* ConfusionMatrix::objection(float prediction, float target) const {
  const auto is_id = [&](float x) { return std::trunc(x) == x && x >= 0 && x < static_cast<float>(classes_); };
  return is_id(prediction) && is_id(target) ? nullptr : "class ids, integers from 0 to the number of classes - 1";
}

void ConfusionMatrix::add(float prediction, float target, double weight) {
  counts_[static_cast<size_t>(target) * static_cast<size_t>(classes_) + static_cast<size_t>(prediction)] += weight;
}

}  // namespace portatune::metrics
