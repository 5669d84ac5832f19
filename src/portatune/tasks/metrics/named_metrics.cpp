#include "portatune/tasks/metrics/named_metrics.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

std::vector<std::string> names_in(const std::vector<NamedMetric>& table) {
  std::vector<std::string> names;
  for (const NamedMetric& metric : table) names.push_back(metric.name);
  return names;
}

std::vector<NamedMetric> choose(const std::vector<NamedMetric>& table, const std::vector<std::string>& names) {
  std::vector<NamedMetric> chosen;
  for (const std::string& name : chosen_scores(names, names_in(table))) {
    chosen.push_back(*std::ranges::find(table, name, &NamedMetric::name));
  }
  return chosen;
}

}  // namespace

std::vector<std::string> chosen_scores(std::vector<std::string> names, const std::vector<std::string>& known) {
  if (names == std::vector<std::string>{"all"}) return known;
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw UsageError({.where = "metrics",
                      .given = in_quotes(name),
                      .expected = "all, or some of " + list_of(known, known.size()),
                      .fix = suggestion(nearest(name, known))});
  }
  return names;
}

NamedMetrics::NamedMetrics(const std::vector<NamedMetric>& table, const std::vector<std::string>& names,
                           const std::vector<std::string>& defaults) {
  const bool is_all = names == std::vector<std::string>{"all"};
  for (const NamedMetric& metric : is_all ? table : choose(table, names.empty() ? defaults : names)) {
    Running& running = running_.emplace_back(Running{.definition = metric, .metrics = {}});
    const int64_t count = running.definition.over == NamedMetric::Over::kOne ? 1 : running.definition.comparisons;
    for (int64_t i = 0; i < count; ++i) running.metrics.push_back(running.definition.make());
  }
}

void NamedMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const ScoredRows rows = read(batch, outputs);
  for (Running& running : running_) {
    for (int64_t i = 0; i < running.definition.comparisons; ++i) {
      const Compared compared = running.definition.compare(rows, i);
      const size_t metric = running.definition.over == NamedMetric::Over::kOne ? 0 : static_cast<size_t>(i);
      running.metrics[metric]->update(compared.predictions, compared.targets, rows.weights);
    }
  }
}

std::optional<double> NamedMetrics::Running::result() const {
  if (definition.over == NamedMetric::Over::kOne) return metrics.front()->result();
  double sum = 0;
  size_t defined = 0;
  for (const auto& metric : metrics) {
    const std::optional<double> value = metric->result();
    defined += value ? 1 : 0;
    sum += value.value_or(0);
  }
  const bool is_defined = definition.over == NamedMetric::Over::kEach ? defined == metrics.size() : defined > 0;
  return is_defined ? std::optional(sum / static_cast<double>(metrics.size())) : std::nullopt;
}

Scores NamedMetrics::result() const {
  Scores scores;
  for (const Running& running : running_) {
    if (const auto value = running.result()) scores.emplace_back(running.definition.name, *value);
  }
  return scores;
}

std::vector<std::string> NamedMetrics::score_names() const {
  std::vector<std::string> names;
  for (const Running& running : running_) names.push_back(running.definition.name);
  return names;
}

std::vector<float> column_of(const std::vector<float>& values, int64_t columns, int64_t column) {
  std::vector<float> result;
  for (auto i = static_cast<size_t>(column); i < values.size(); i += static_cast<size_t>(columns)) {
    result.push_back(values[i]);
  }
  return result;
}

}  // namespace portatune::tasks
