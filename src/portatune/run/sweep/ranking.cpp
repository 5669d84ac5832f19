#include "portatune/run/sweep/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/error.h"

namespace portatune::run {

std::vector<Configuration> configurations_of(const std::vector<Trial>& trials) {
  std::vector<Configuration> configurations;
  for (size_t i = 0; i < trials.size(); ++i) {
    const auto found = std::ranges::find(configurations, trials[i].settings, &Configuration::settings);
    Configuration& configuration =
        found == configurations.end()
            ? configurations.emplace_back(Configuration{.settings = trials[i].settings, .trials = {}})
            : *found;
    configuration.trials.push_back(i);
  }
  return configurations;
}

MeanScore mean_of(const std::vector<std::optional<double>>& scores) {
  double sum = 0, squares = 0;
  int64_t count = 0;
  for (const std::optional<double>& score : scores) {
    if (!score) continue;
    sum += *score;
    ++count;
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (count == 0) return {.mean = kNone, .deviation = kNone, .complete = false};
  const double mean = sum / static_cast<double>(count);
  for (const std::optional<double>& score : scores) squares += score ? (*score - mean) * (*score - mean) : 0;
  return {.mean = mean,
          .deviation = count == 1 ? 0 : std::sqrt(squares / static_cast<double>(count - 1)),
          .complete = count == std::ssize(scores)};
}

bool is_better(const MeanScore& a, const MeanScore& b, bool greater_is_better) {
  if (a.complete != b.complete) return a.complete;
  if (std::isnan(a.mean) || std::isnan(b.mean)) return !std::isnan(a.mean) && std::isnan(b.mean);
  return greater_is_better ? a.mean > b.mean : a.mean < b.mean;
}

std::vector<Rung> rungs_of(const RunOptions& options, size_t configurations, size_t seeds, int64_t factor) {
  std::vector<Rung> rungs = {{.end = std::numeric_limits<double>::infinity(), .seeds = seeds}};
  if (factor == 0) return rungs;
  const double epochs = options.max_steps > 0 ? 1 : static_cast<double>(options.epochs);
  const bool by_epochs = !options.eval_steps.is_set();
  const auto one_in = static_cast<size_t>(factor);
  double divisor = 1;  // quotients are exact where epochs are whole
  for (size_t left = configurations; left > 1; left = (left + one_in - 1) / one_in) {
    divisor *= static_cast<double>(factor);
    const double end = by_epochs ? std::ceil(epochs / divisor) / epochs : 1 / divisor;
    const auto some = static_cast<size_t>(std::ceil(static_cast<double>(seeds) / divisor));
    if (end < 1 && end < rungs.back().end) rungs.push_back({.end = end, .seeds = some});
  }
  std::ranges::reverse(rungs);
  if (rungs.size() > 1 || configurations < 2) return rungs;
  throw UsageError(
      {.where = "halving",
       .given = options.max_steps > 0 ? "max_steps without eval_steps" : "one evaluation, at the end of the run",
       .expected = std::string("evaluations by which trials are compared before: ") +
                   (options.max_steps > 0 ? "" : "more epochs, or ") + "--eval-steps"});
}

}  // namespace portatune::run
