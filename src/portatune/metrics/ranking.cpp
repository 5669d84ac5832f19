// Metrics of the order of scores.
#include <algorithm>
#include <cmath>

#include "portatune/metrics.h"

namespace portatune::metrics {

const char* RankingMetric::objection(float prediction, float target) const {
  if (target != 0 && target != 1) return "a target of 0 or 1";
  return std::isfinite(prediction) ? nullptr : "a finite score";
}

void RankingMetric::add(float prediction, float target, double weight) {
  examples_.push_back({weight, prediction, target == 1});
}

std::vector<RankingMetric::Tie> RankingMetric::ties() const {
  std::vector<Example> sorted = examples_;
  std::ranges::sort(sorted, std::ranges::greater(), &Example::score);
  std::vector<Tie> ties;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].score != sorted[i - 1].score) ties.emplace_back();
    (sorted[i].positive ? ties.back().positives : ties.back().negatives) += sorted[i].weight;
  }
  return ties;
}

std::optional<double> RocAuc::result() const {
  double negatives = 0, positives = 0;  // weights of the examples above the current score
  double wins = 0;                      // weight of the pairs in which the positive example has the higher score
  for (const Tie& tie : ties()) {
    wins += tie.negatives * (positives + tie.positives / 2);
    negatives += tie.negatives;
    positives += tie.positives;
  }
  if (negatives == 0 || positives == 0) return std::nullopt;
  return wins / (negatives * positives);
}

std::optional<double> AveragePrecision::result() const {
  double all = 0, positives = 0;  // weights of the examples that have at least the current score
  double sum = 0;                 // sum of the precisions of the positive examples
  for (const Tie& tie : ties()) {
    all += tie.negatives + tie.positives;
    positives += tie.positives;
    sum += tie.positives * (positives / all);
  }
  if (positives == 0) return std::nullopt;
  return sum / positives;
}

}  // namespace portatune::metrics
