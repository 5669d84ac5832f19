// Metrics over all examples of an evaluation, updated batch by batch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace portatune::metrics {

/// A figure that many examples add up to. Weights count examples. A weight of 0 skips the example without a look at its
/// other values; it marks the rows that fill up the last batch.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  /// Adds a batch.
  /// predictions, targets  [rows]; each metric defines their meaning
  /// weights               [rows], finite and not negative; empty: all 1
  /// errors    UsageError if lengths differ; DataError, which names the row, for an invalid weight, target or
  ///           prediction. After an error no row of the batch has been added.
  void update(std::span<const float> predictions, std::span<const float> targets, std::span<const float> weights = {});

  virtual void reset() = 0;

 protected:
  /// The reason why an example cannot be added, or nullptr. Called for examples whose weight is not 0.
  virtual const char* objection(float prediction, float target) const = 0;
  /// Adds an example without objection.
  virtual void add(float prediction, float target, double weight) = 0;
};

/// An accumulator of one number.
class Metric : public Accumulator {
 public:
  /// The metric over all examples since the last reset; nothing if it is undefined for them.
  virtual std::optional<double> result() const = 0;
};

/// The weighted mean of the predictions, such as losses per example. It ignores targets: pass the predictions twice.
/// Undefined if all weights are 0; NaN if a value is NaN.
class Mean final : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { *this = {}; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  double sum_ = 0, weight_ = 0;
};

/// The weighted share of examples whose predicted class id (see `argmax`) is the target. Undefined if all weights are
/// 0.
class Accuracy final : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { *this = {}; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  double hits_ = 0, weight_ = 0;
};

/// Area under the ROC curve: the probability that a positive example has a higher score than a negative one; ties count
/// half. It is exact: it keeps every score (16 bytes per example) and sorts them in `result`.
/// predictions  scores of the positive class, finite; only their order matters: logits or probabilities
/// targets      0 or 1
/// Undefined without examples of both classes (scikit-learn: NaN and a warning).
/// source    Hanley and McNeil 1982, by ranks; equals sklearn.metrics.roc_auc_score
class RocAuc final : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { examples_.clear(); }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  struct Example {
    double weight;
    float score;
    bool positive;
  };
  std::vector<Example> examples_;
};

/// Weights of the examples of one class. A quotient by 0 is undefined (scikit-learn: 0 and a warning).
struct ClassCounts {
  double hits = 0;       ///< examples of the class that are predicted as such
  double predicted = 0;  ///< examples that are predicted as the class
  double expected = 0;   ///< examples of the class

  std::optional<double> precision() const;  ///< hits / predicted
  std::optional<double> recall() const;     ///< hits / expected
  std::optional<double> f1() const;         ///< 2 hits / (predicted + expected)
};

/// Weighted counts of examples by true and predicted class. Predictions and targets are class ids below the number of
/// classes; see `argmax`. Equals sklearn.metrics.confusion_matrix.
class ConfusionMatrix final : public Accumulator {
 public:
  explicit ConfusionMatrix(int64_t classes);

  int64_t classes() const { return classes_; }
  /// Weight of the examples of class `target` that are predicted as class `predicted`.
  double count(int64_t target, int64_t predicted) const;
  /// The counts of a class, its row of sklearn.metrics.classification_report.
  ClassCounts of_class(int64_t id) const;
  void reset() override;

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  int64_t classes_;
  std::vector<double> counts_;  // [target, predicted]
};

/// F1 of class 1: 2 TP / (2 TP + FP + FN). Classes are 0 and 1. Undefined if class 1 is neither predicted nor true
/// (scikit-learn: 0 and a warning). Equals sklearn.metrics.f1_score.
class F1 final : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { *this = {}; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  double hits_ = 0, predicted_and_true_ = 0;
};

/// Base of metrics over any number of classes: weighted counts for each class id.
class ClassCountsMetric : public Metric {
 public:
  struct Counts {
    double hits = 0, predicted = 0, expected = 0;
  };
  void reset() override { counts_.clear(); }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;
  std::map<int64_t, Counts> counts_;
};

/// Mean of the F1 of each class that is predicted or true; other classes do not count. Undefined if all weights are 0.
/// Equals sklearn.metrics.f1_score(average="macro").
class MacroF1 final : public ClassCountsMetric {
 public:
  std::optional<double> result() const override;
};

/// Matthews' correlation of predicted and true classes, two or more of them; 0 if only one class is predicted or true.
/// Undefined if all weights are 0. Equals sklearn.metrics.matthews_corrcoef.
/// source  Gorodkin 2004, which for two classes is Matthews 1975
class MatthewsCorrelation final : public ClassCountsMetric {
 public:
  std::optional<double> result() const override;
};

/// Base of metrics that keep predictions and targets, 16 bytes per example.
class PairedMetric : public Metric {
 public:
  void reset() override { examples_.clear(); }

 protected:
  struct Example {
    double weight;
    float prediction, target;
  };
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override {
    examples_.push_back({weight, prediction, target});
  }
  std::vector<Example> examples_;
};

/// Pearson's correlation of predictions and targets. Undefined if one of them is constant (scipy: NaN and a warning).
/// Equals scipy.stats.pearsonr if all weights are 1.
class PearsonCorrelation final : public PairedMetric {
 public:
  std::optional<double> result() const override;
};

/// Pearson's correlation of the ranks; equal numbers share their mean rank. Every example counts once, with any weight.
/// Equals scipy.stats.spearmanr.
class SpearmanCorrelation final : public PairedMetric {
 public:
  std::optional<double> result() const override;
};

/// The class with the highest score in each row, the first of equal ones. In a row with NaN it is the index of the
/// first NaN, as in NumPy.
/// scores    [rows, classes]
/// errors    UsageError if `scores` is not a multiple of `classes`
std::vector<float> argmax(std::span<const float> scores, int64_t classes);

}  // namespace portatune::metrics
