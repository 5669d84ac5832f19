#include "portatune/run/sweep/standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace portatune::run {

Standings::Standings(const SweepOptions& options, const std::vector<Rung>& rungs, const SweepState& state,
                     DecidingScore score, DecidingScore loss)
    : options_(options), rungs_(rungs), state_(state), score_(std::move(score)), loss_(std::move(loss)) {}

bool Standings::has_ended(size_t trial) const {
  const TrialState& state = state_.trial(trial);
  return state.rungs.contains(rungs_.size() - 1) || !state.error.empty();
}

std::optional<double> Standings::score_of(size_t trial, const DecidingScore& score) const {
  const TrialState& state = state_.trial(trial);
  return state.error.empty() && state.last() != nullptr ? value_of(state.last()->scores, score) : std::nullopt;
}

std::vector<size_t> Standings::begun_trials(const Configuration& configuration) const {
  std::vector<size_t> begun;
  std::ranges::copy_if(configuration.trials, std::back_inserter(begun),
                       [this](size_t index) { return state_.trial(index).has_begun(); });
  return begun;
}

MeanScore Standings::mean_score(const Configuration& configuration, const DecidingScore& score) const {
  std::vector<std::optional<double>> scores;
  for (const size_t index : begun_trials(configuration)) scores.push_back(score_of(index, score));
  return mean_of(scores);
}

// The mean after a rung, also if later rungs have results.
MeanScore Standings::mean_after(const Configuration& configuration, size_t rung, const DecidingScore& score) const {
  std::vector<std::optional<double>> scores;
  for (const size_t index : configuration.trials | std::views::take(rungs_[rung].seeds)) {
    const auto& results = state_.trial(index).rungs;
    const auto found = results.find(rung);
    scores.push_back(found == results.end() ? std::nullopt : value_of(found->second.scores, score));
  }
  return mean_of(scores);
}

template <class Mean>
std::vector<Configuration> Standings::ranked_by(std::vector<Configuration> configurations, const Mean& mean) const {
  std::ranges::stable_sort(configurations, [&](const Configuration& a, const Configuration& b) {
    for (const DecidingScore& score : {score_, loss_}) {
      const MeanScore of_a = mean(a, score), of_b = mean(b, score);
      if (is_better(of_a, of_b, score.greater_is_better)) return true;
      if (is_better(of_b, of_a, score.greater_is_better)) return false;
    }
    return false;
  });
  return configurations;
}

std::vector<Configuration> Standings::ranked(std::vector<Configuration> configurations) const {
  return ranked_by(std::move(configurations),
                   [this](const Configuration& one, const DecidingScore& score) { return mean_score(one, score); });
}

std::vector<Configuration> Standings::survivors(const std::vector<Configuration>& configurations, size_t rung,
                                                Events& events) const {
  const auto factor = static_cast<size_t>(options_.halving_factor);
  const auto mean = [this, rung](const Configuration& one, const DecidingScore& score) {
    return mean_after(one, rung, score);
  };
  std::vector<Configuration> best = ranked_by(configurations, mean);
  const size_t count = (best.size() + factor - 1) / factor;
  if (count < best.size()) warn_of_equal_means(mean(best[count - 1], score_), mean(best[count], score_), events);
  best.resize(count);
  std::ranges::sort(best, {}, [](const Configuration& configuration) { return configuration.trials.front(); });
  return best;
}

void Standings::warn_of_equal_means(const MeanScore& last_survivor, const MeanScore& next, Events& events) const {
  const bool are_equal = last_survivor.complete == next.complete && last_survivor.mean == next.mean;
  if (!are_equal || score_.name == loss_.name) return;
  events.warning(
      fmt::format("several configurations have the same {} ({:.4f}) at a comparison of halving, so their loss decides; "
                  "longer trials or another --metric-for-best-model would tell them apart",
                  score_.name, next.mean));
}

std::string Standings::best_trial(const Configuration& configuration) const {
  std::optional<size_t> best;
  double best_score = 0;
  for (const size_t index : configuration.trials) {
    const std::optional<double> score = score_of(index, score_);
    if (!has_ended(index) || !score) continue;
    if (best && !(score_.greater_is_better ? *score > best_score : *score < best_score)) continue;
    best = index;
    best_score = *score;
  }
  return best ? trial_name(*best) : "";
}

// The last rung with results; 0 if there is none.
size_t Standings::last_rung_of(const Configuration& configuration) const {
  size_t last = 0;
  for (const size_t index : configuration.trials) {
    const TrialState& state = state_.trial(index);
    if (!state.rungs.empty()) last = std::max(last, state.rungs.rbegin()->first);
  }
  return last;
}

SweepRow Standings::row_of(const Configuration& configuration) const {
  const MeanScore mean = mean_score(configuration, score_);
  SweepRow row{.settings = configuration.settings, .mean = mean.mean, .deviation = mean.deviation};
  for (const size_t index : begun_trials(configuration)) {
    row.trials.push_back(trial_name(index));
    row.seeds.push_back(options_.trials[index].options.training.seed);
    row.scores.push_back(score_of(index, score_));
    if (const RungResult* last = state_.trial(index).last()) row.steps = std::max(row.steps, last->step);
  }
  return row;
}

SweepOutcome Standings::outcome() const {
  SweepOutcome outcome{.metric = score_.name, .greater_is_better = score_.greater_is_better, .output = options_.output};
  std::vector<Configuration> configurations = ranked(configurations_of(options_.trials));
  std::ranges::stable_sort(configurations, std::ranges::greater(),
                           [this](const Configuration& configuration) { return last_rung_of(configuration); });
  for (const Configuration& configuration : configurations) outcome.rows.push_back(row_of(configuration));
  outcome.best = best_trial(configurations.front());
  for (size_t i = 0; i < options_.trials.size(); ++i) {
    const std::string& error = state_.trial(i).error;
    if (!error.empty()) outcome.failed.push_back({trial_name(i), error});
  }
  return outcome;
}

}  // namespace portatune::run
