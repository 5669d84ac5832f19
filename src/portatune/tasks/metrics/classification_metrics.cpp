#include "portatune/tasks/metrics/classification_metrics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace portatune::tasks {
namespace {

using metrics::Average;
using metrics::ClassAverage;
using metrics::ClassCounts;
using Over = NamedMetric::Over;

constexpr std::pair<const char*, Average> kAverages[] = {
    {"_micro", Average::kMicro}, {"_macro", Average::kMacro}, {"_weighted", Average::kWeighted}};
constexpr std::pair<const char*, ClassAverage::Score> kScores[] = {
    {"precision", &ClassCounts::precision}, {"recall", &ClassCounts::recall}, {"f1", &ClassCounts::f1}};

std::vector<float> floats(std::span<const int32_t> values) { return {values.begin(), values.end()}; }

Compared classes(const ScoredRows& rows) { return {rows.predicted, rows.targets}; }

// Scores of class 1: the differences of two logits, or the one logit.
Compared order(const ScoredRows& rows) {
  if (rows.columns == 1) return {rows.logits, rows.targets};
  std::vector<float> scores;
  for (size_t i = 0; i < rows.logits.size(); i += 2) scores.push_back(rows.logits[i + 1] - rows.logits[i]);
  return {scores, rows.targets};
}

std::vector<float> equal_to(const std::vector<float>& ids, float id) {
  std::vector<float> result;
  for (const float other : ids) result.push_back(other == id ? 1.0F : 0.0F);
  return result;
}

// One class against the others, by its probability.
Compared against_rest(const ScoredRows& rows, int64_t id) {
  return {column_of(rows.probabilities, rows.columns, id), equal_to(rows.targets, static_cast<float>(id))};
}

// The probability of the predicted class, and whether it is right.
Compared confidence(const ScoredRows& rows) {
  const size_t classes = rows.probabilities.size() / rows.rows();
  Compared result;
  for (size_t row = 0; row < rows.rows(); ++row) {
    result.predictions.push_back(rows.probabilities[row * classes + static_cast<size_t>(rows.predicted[row])]);
    result.targets.push_back(rows.predicted[row] == rows.targets[row] ? 1.0F : 0.0F);
  }
  return result;
}

Compared probability_of_class_1(const ScoredRows& rows) { return {column_of(rows.probabilities, 2, 1), rows.targets}; }

// The squared error of all probabilities of a row.
Compared squared_errors(const ScoredRows& rows) {
  const size_t classes = rows.probabilities.size() / rows.rows();
  std::vector<float> errors(rows.rows());
  for (size_t i = 0; i < rows.probabilities.size(); ++i) {
    const float wanted = rows.targets[i / classes] == static_cast<float>(i % classes) ? 1.0F : 0.0F;
    errors[i / classes] += (rows.probabilities[i] - wanted) * (rows.probabilities[i] - wanted);
  }
  return {errors, errors};
}

// Whether fewer than k logits are higher than that of the label.
Compared among_highest(const ScoredRows& rows, int64_t k) {
  const auto classes = static_cast<size_t>(rows.columns);
  std::vector<float> hits;
  for (size_t row = 0; row < rows.rows(); ++row) {
    const std::span<const float> of_row = std::span(rows.logits).subspan(row * classes, classes);
    const float of_label = of_row[static_cast<size_t>(rows.targets[row])];
    const auto higher = std::ranges::count_if(of_row, [&](float logit) { return logit > of_label; });
    hits.push_back(higher < k ? 1.0F : 0.0F);
  }
  return {hits, hits};
}

std::string top_k_accuracy(int64_t k) { return "top_" + std::to_string(k) + "_accuracy"; }

std::vector<NamedMetric> table_of_two_classes() {
  return {metric_of<metrics::Precision>("precision", classes),
          metric_of<metrics::Recall>("recall", classes),
          metric_of<metrics::F1>("f1", classes),
          metric_of<metrics::RocAuc>("roc_auc", order),
          metric_of<metrics::AveragePrecision>("average_precision", order),
          metric_of<metrics::MeanSquaredError>("brier_score", probability_of_class_1)};
}

template <class M>
NamedMetric mean_over(std::string name, int64_t comparisons, decltype(NamedMetric::compare) compare) {
  return {.name = std::move(name),
          .make = [] { return std::make_unique<M>(); },
          .compare = std::move(compare),
          .comparisons = comparisons,
          .over = Over::kEach};
}

std::vector<NamedMetric> table_of_many_classes(int64_t classes) {
  std::vector<NamedMetric> table = {
      mean_over<metrics::RocAuc>("roc_auc_ovr", classes, against_rest),
      mean_over<metrics::AveragePrecision>("average_precision_macro", classes, against_rest),
      metric_of<metrics::Mean>("brier_score", squared_errors)};
  for (const int64_t k : {2, 3, 5, 10}) {
    if (k >= classes) break;
    table.push_back(
        metric_of<metrics::Mean>(top_k_accuracy(k), [k](const ScoredRows& rows) { return among_highest(rows, k); }));
  }
  return table;
}

std::vector<NamedMetric> class_table(int64_t number) {
  std::vector<NamedMetric> table = {metric_of<metrics::Accuracy>("accuracy", classes),
                                    metric_of<metrics::MatthewsCorrelation>("matthews_correlation", classes)};
  for (NamedMetric& metric : number == 2 ? table_of_two_classes() : table_of_many_classes(number)) {
    table.push_back(std::move(metric));
  }
  table.push_back(metric_of<metrics::CalibrationError>("ece", confidence));
  for (const auto& [average_name, average] : kAverages) {
    for (const auto& [score_name, score] : kScores) {
      table.push_back({.name = std::string(score_name) + average_name,
                       .make = [score, average] { return std::make_unique<ClassAverage>(score, average); },
                       .compare = [](const ScoredRows& rows, int64_t) { return classes(rows); }});
    }
  }
  return table;
}

std::vector<std::string> default_names(int64_t classes, const std::vector<std::string>& more) {
  std::vector<std::string> names = {"accuracy", "f1", "matthews_correlation", "roc_auc"};
  if (classes != 2) names = {"accuracy", "f1_macro", "matthews_correlation"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

Compared of_label(const ScoredRows& rows, int64_t label) {
  return {column_of(rows.predicted, rows.columns, label), column_of(rows.targets, rows.columns, label)};
}

Compared order_of_label(const ScoredRows& rows, int64_t label) {
  return {column_of(rows.logits, rows.columns, label), column_of(rows.targets, rows.columns, label)};
}

// Whether all labels of a row are right.
Compared whole_rows(const ScoredRows& rows) {
  const auto labels = static_cast<size_t>(rows.columns);
  std::vector<float> right(rows.rows(), 1);
  for (size_t i = 0; i < rows.predicted.size(); ++i) {
    if (rows.predicted[i] != rows.targets[i]) right[i / labels] = 0;
  }
  return {right, right};
}

template <class M>
void add_averages(std::vector<NamedMetric>& table, const std::string& name, int64_t labels) {
  NamedMetric metric = mean_over<M>(name + "_macro", labels, of_label);
  metric.over = Over::kEachOrZero;
  table.push_back(metric);
  metric.name = name + "_micro";
  metric.over = Over::kOne;
  table.push_back(metric);
}

std::vector<NamedMetric> label_table(int64_t labels) {
  std::vector<NamedMetric> table = {
      metric_of<metrics::Mean>("accuracy", whole_rows),
      mean_over<metrics::RocAuc>("roc_auc_macro", labels, order_of_label),
      mean_over<metrics::AveragePrecision>("average_precision_macro", labels, order_of_label),
      mean_over<metrics::AveragePrecision>("average_precision_micro", labels, order_of_label)};
  table.back().over = Over::kOne;
  add_averages<metrics::Precision>(table, "precision", labels);
  add_averages<metrics::Recall>(table, "recall", labels);
  add_averages<metrics::F1>(table, "f1", labels);
  return table;
}

std::vector<NamedMetric> number_table(int64_t targets) {
  return {mean_over<metrics::PearsonCorrelation>("pearson", targets, order_of_label),
          mean_over<metrics::SpearmanCorrelation>("spearmanr", targets, order_of_label),
          mean_over<metrics::MeanSquaredError>("mse", targets, order_of_label),
          mean_over<metrics::MeanAbsoluteError>("mae", targets, order_of_label),
          mean_over<metrics::R2>("r2", targets, order_of_label)};
}

}  // namespace

int64_t predicted_class(Head head, std::span<const float> logits) {
  if (head == Head::kSigmoid) return logits[0] >= 0 ? 1 : 0;
  return std::ranges::max_element(logits) - logits.begin();
}

std::vector<float> probabilities(Head head, std::span<const float> logits) {
  std::vector<float> result;
  if (head != Head::kSoftmax) {
    for (const float logit : logits) result.push_back(1 / (1 + std::exp(-logit)));
    return result;
  }
  const float highest = std::ranges::max(logits);
  float total = 0;
  for (const float logit : logits) total += result.emplace_back(std::exp(logit - highest));
  for (float& probability : result) probability /= total;
  return result;
}

ScoredRows scored_classes(Head head, const data::Example& batch, const data::Example& outputs) {
  const auto logits = outputs.tensor("logits").as<float>(), weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t columns = logits.size() / weights.size();
  ScoredRows rows{.columns = static_cast<int64_t>(columns),
                  .logits = {logits.begin(), logits.end()},
                  .targets = floats(batch.tensor("labels").as<int32_t>()),
                  .weights = {weights.begin(), weights.end()}};
  for (size_t row = 0; row < rows.rows(); ++row) {
    const std::span<const float> of_row = logits.subspan(row * columns, columns);
    rows.predicted.push_back(static_cast<float>(predicted_class(head, of_row)));
    std::vector<float> probabilities = tasks::probabilities(head, of_row);
    if (head == Head::kSigmoid) probabilities.insert(probabilities.begin(), 1 - probabilities.front());
    rows.probabilities.insert(rows.probabilities.end(), probabilities.begin(), probabilities.end());
  }
  return rows;
}

ScoredRows scored_labels(const data::Example& batch, const data::Example& outputs) {
  ScoredRows rows = scored_numbers(batch, outputs);
  for (const float logit : rows.logits) rows.predicted.push_back(logit >= 0 ? 1.0F : 0.0F);
  return rows;
}

ScoredRows scored_numbers(const data::Example& batch, const data::Example& outputs) {
  const auto logits = outputs.tensor("logits").as<float>(), targets = batch.tensor("labels").as<float>(),
             weights = batch.tensor(data::kExampleWeight).as<float>();
  return {.columns = static_cast<int64_t>(logits.size() / weights.size()),
          .logits = {logits.begin(), logits.end()},
          .targets = {targets.begin(), targets.end()},
          .weights = {weights.begin(), weights.end()}};
}

ClassificationMetrics::ClassificationMetrics(Head head, int64_t classes, const std::vector<std::string>& names,
                                             const std::vector<std::string>& more)
    : NamedMetrics(class_table(classes), names, default_names(classes, more)), head_(head) {}

ScoredRows ClassificationMetrics::read(const data::Example& batch, const data::Example& outputs) const {
  return scored_classes(head_, batch, outputs);
}

MultiLabelMetrics::MultiLabelMetrics(int64_t labels, const std::vector<std::string>& names)
    : NamedMetrics(label_table(labels), names, {"f1_micro", "f1_macro", "accuracy", "roc_auc_macro"}) {}

ScoredRows MultiLabelMetrics::read(const data::Example& batch, const data::Example& outputs) const {
  return scored_labels(batch, outputs);
}

RegressionMetrics::RegressionMetrics(int64_t targets, const std::vector<std::string>& names)
    : NamedMetrics(number_table(targets), names, {"pearson", "spearmanr"}) {}

ScoredRows RegressionMetrics::read(const data::Example& batch, const data::Example& outputs) const {
  return scored_numbers(batch, outputs);
}

}  // namespace portatune::tasks
