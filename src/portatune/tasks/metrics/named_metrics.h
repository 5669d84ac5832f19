// Metrics that are chosen by their names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "portatune/metrics.h"
#include "portatune/tasks.h"
#include "portatune/tasks/metrics/all_metrics.h"

namespace portatune::tasks {

/// The outputs and labels of a batch.
struct ScoredRows {
  int64_t columns = 1;               ///< number of logits of a row
  std::vector<float> logits;         ///< [rows, columns]; predicted numbers in regression
  std::vector<float> probabilities;  ///< [rows, classes] if a row has one class, else empty
  std::vector<float> predicted;      ///< class ids [rows], or [rows, columns] of 0 and 1; empty in regression
  std::vector<float> targets;        ///< like `predicted`; numbers [rows, columns] in regression
  std::vector<float> weights;        ///< [rows]

  size_t rows() const { return weights.size(); }
};

/// The numbers [rows] that metrics::Metric::update() compares.
struct Compared {
  std::vector<float> predictions, targets;
};

/// A metric by its name. It compares each row once or, with several labels or classes, once for each of them.
struct NamedMetric {
  enum class Over {
    kOne,         ///< one metric over all comparisons
    kEach,        ///< the mean of a metric for each comparison; undefined if one of them is
    kEachOrZero,  ///< the same mean, in which undefined metrics count as 0; undefined if all of them are
  };
  std::string name;
  std::function<std::unique_ptr<metrics::Metric>()> make;
  std::function<Compared(const ScoredRows& rows, int64_t comparison)> compare;
  int64_t comparisons = 1;
  Over over = Over::kOne;
};

/// The names of the scores to report; {"all"}: the known ones.
/// errors  UsageError for an unknown name
std::vector<std::string> chosen_scores(std::vector<std::string> names, const std::vector<std::string>& known);

/// Computes chosen metrics of a table.
class NamedMetrics : public Metrics, public WithScoreNames {
 public:
  void update(const data::Example& batch, const data::Example& outputs) final;
  Scores result() const final;
  std::vector<std::string> score_names() const final;

 protected:
  /// names     names in the table, in the order of the result; {"all"}: the whole table; empty: `defaults`
  /// errors    UsageError for a name that the table lacks
  NamedMetrics(const std::vector<NamedMetric>& table, const std::vector<std::string>& names,
               const std::vector<std::string>& defaults);
  virtual ScoredRows read(const data::Example& batch, const data::Example& outputs) const = 0;

 private:
  struct Running {
    NamedMetric definition;
    std::vector<std::unique_ptr<metrics::Metric>> metrics;  // one, or one for each comparison

    std::optional<double> result() const;
  };
  std::vector<Running> running_;
};

/// The numbers of one column of [rows, columns].
std::vector<float> column_of(const std::vector<float>& values, int64_t columns, int64_t column);

/// A metric of M with one comparison.
template <class M>
NamedMetric metric_of(std::string name, std::function<Compared(const ScoredRows&)> compare) {
  return {.name = std::move(name),
          .make = [] { return std::make_unique<M>(); },
          .compare = [compare](const ScoredRows& rows, int64_t) { return compare(rows); }};
}

}  // namespace portatune::tasks
