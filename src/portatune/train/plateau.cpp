#include "portatune/train/plateau.h"

#include <algorithm>
#include <cmath>

namespace portatune::train {
namespace {

// The score that an improvement must exceed, with the order of operations of torch.
double bar(double best, const ScheduleOptions& o, bool greater) {
  const double threshold = o.threshold.value_or(1e-4);
  if (o.threshold_mode.value_or("rel") == "abs") return greater ? best + threshold : best - threshold;
  return best * (greater ? threshold + 1.0 : 1.0 - threshold);
}

bool improves(double score, const std::optional<double>& best, const ScheduleOptions& o, bool greater) {
  if (!best) return std::isfinite(score);
  return greater ? score > bar(*best, o, greater) : score < bar(*best, o, greater);
}

}  // namespace

void Plateau::add(const std::optional<double>& score, const ScheduleOptions& options, bool greater) {
  const bool is_higher_better = options.mode ? *options.mode == "max" : greater;
  const bool is_improvement = score && improves(*score, best, options, is_higher_better);
  if (is_improvement) best = score;
  without_improvement = is_improvement ? 0 : without_improvement + 1;
  if (cooldown > 0) {
    --cooldown;
    without_improvement = 0;
  }
  if (without_improvement <= options.patience.value_or(10)) return;
  ++reductions;
  cooldown = options.cooldown.value_or(0);
  without_improvement = 0;
}

double reduced(double peak, const ScheduleOptions& options, int64_t reductions) {
  constexpr double kSmallestChange = 1e-8;  // eps of torch
  double rate = peak;
  for (int64_t i = 0; i < reductions; ++i) {
    const double lower = std::max(rate * options.factor.value_or(0.1), options.min_lr.value_or(0));
    if (rate - lower <= kSmallestChange) break;
    rate = lower;
  }
  return rate;
}

}  // namespace portatune::train
