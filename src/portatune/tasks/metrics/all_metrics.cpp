#include "portatune/tasks/metrics/all_metrics.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "portatune/tasks.h"

namespace portatune {
namespace {

// The registry exists from the first added metrics on: they are added before main(), in no certain order.
std::vector<AddedMetrics::Make>& registry() {
  static std::vector<AddedMetrics::Make> added;
  return added;
}

class SeveralMetrics final : public Metrics, public tasks::WithScoreNames {
 public:
  explicit SeveralMetrics(std::vector<std::unique_ptr<Metrics>> parts) : parts_(std::move(parts)) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    for (const auto& part : parts_) part->update(batch, outputs);
  }
  bool in_row_order() const override {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->in_row_order(); });
  }
  std::vector<std::string> score_names() const override {
    std::vector<std::string> names;
    for (const auto& part : parts_) {
      if (const auto* known = with_names(part)) std::ranges::move(known->score_names(), std::back_inserter(names));
    }
    return names;
  }
  bool have_score_names() const { return std::ranges::all_of(parts_, with_names); }
  Scores result() const override {
    Scores scores;
    for (const auto& part : parts_) {
      for (auto& score : part->result()) scores.push_back(std::move(score));
    }
    return scores;
  }

 private:
  static const tasks::WithScoreNames* with_names(const std::unique_ptr<Metrics>& part) {
    return dynamic_cast<const tasks::WithScoreNames*>(part.get());
  }

  std::vector<std::unique_ptr<Metrics>> parts_;
};

}  // namespace

AddedMetrics::AddedMetrics(Make make) { registry().push_back(make); }

namespace {

std::vector<std::unique_ptr<Metrics>> added_metrics(const Task& task) {
  std::vector<std::unique_ptr<Metrics>> added;
  for (const AddedMetrics::Make make : registry()) {
    if (std::unique_ptr<Metrics> metrics = make(task)) added.push_back(std::move(metrics));
  }
  return added;
}

std::unique_ptr<SeveralMetrics> metrics_of(const Task& task) {
  std::vector<std::unique_ptr<Metrics>> parts = added_metrics(task);
  parts.insert(parts.begin(), task.metrics());
  return std::make_unique<SeveralMetrics>(std::move(parts));
}

}  // namespace

std::unique_ptr<Metrics> tasks::all_metrics(const Task& task) { return metrics_of(task); }

bool tasks::has_added_metrics(const Task& task) { return !added_metrics(task).empty(); }

std::vector<std::string> tasks::known_scores(const Task& task) { return metrics_of(task)->score_names(); }

bool tasks::knows_all_scores(const Task& task) { return metrics_of(task)->have_score_names(); }

}  // namespace portatune
