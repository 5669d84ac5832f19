// Metrics over all examples of an evaluation, updated batch by batch.
#pragma once

#include <array>
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

/// Base of metrics of a ranking. They are exact: they keep every score (16 bytes per example) and sort them in
/// `result`.
/// predictions  scores of the positive class, finite; only their order matters: logits or probabilities
/// targets      0 or 1
class RankingMetric : public Metric {
 public:
  void reset() override { examples_.clear(); }

 protected:
  struct Example {
    double weight;
    float score;
    bool positive;
  };
  /// Weights of the examples that share a score.
  struct Tie {
    double negatives = 0, positives = 0;
  };
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;
  /// The ties from the highest score to the lowest.
  std::vector<Tie> ties() const;

 private:
  std::vector<Example> examples_;
};

/// Area under the ROC curve: the probability that a positive example has a higher score than a negative one; ties count
/// half. Undefined without examples of both classes (scikit-learn: NaN and a warning).
/// source    Hanley and McNeil 1982, by ranks; equals sklearn.metrics.roc_auc_score
class RocAuc final : public RankingMetric {
 public:
  std::optional<double> result() const override;
};

/// Average precision: the mean over the positive examples of the precision among the examples that have at least their
/// score. Undefined without positive examples (scikit-learn: 0 and a warning).
/// Equals sklearn.metrics.average_precision_score.
class AveragePrecision final : public RankingMetric {
 public:
  std::optional<double> result() const override;
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

/// Base of metrics of class 1. Classes are 0 and 1.
class PositiveClassMetric : public Metric {
 public:
  void reset() override { counts_ = {}; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;
  ClassCounts counts_;
};

/// Precision of class 1. Undefined if it is never predicted. Equals sklearn.metrics.precision_score.
class Precision final : public PositiveClassMetric {
 public:
  std::optional<double> result() const override { return counts_.precision(); }
};

/// Recall of class 1. Undefined if it is never true. Equals sklearn.metrics.recall_score.
class Recall final : public PositiveClassMetric {
 public:
  std::optional<double> result() const override { return counts_.recall(); }
};

/// F1 of class 1: 2 TP / (2 TP + FP + FN). Undefined if class 1 is neither predicted nor true.
/// Equals sklearn.metrics.f1_score.
class F1 final : public PositiveClassMetric {
 public:
  std::optional<double> result() const override { return counts_.f1(); }
};

/// Base of metrics over any number of classes: weighted counts for each class id.
class ClassCountsMetric : public Metric {
 public:
  void reset() override { counts_.clear(); }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;
  std::map<int64_t, ClassCounts> counts_;
};

enum class Average {
  kMicro,    ///< the score of the sums of all counts
  kMacro,    ///< the mean over the classes
  kWeighted  ///< the mean over the classes, weighted by their examples
};

/// The average of a score of each class that is predicted or true, such as ClassCounts::f1; other classes do not count.
/// An undefined score of a class counts as 0. Undefined if all weights are 0.
/// Equals sklearn.metrics.precision_score, recall_score and f1_score with the same `average`.
class ClassAverage : public ClassCountsMetric {
 public:
  using Score = std::optional<double> (ClassCounts::*)() const;
  ClassAverage(Score score, Average average) : score_(score), average_(average) {}
  std::optional<double> result() const override;

 private:
  Score score_;
  Average average_;
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

/// The coefficient of determination: 1 - squared error / squared deviation of the targets from their mean. At most 1.
/// Undefined if the targets are constant (scikit-learn: 0 or 1). Equals sklearn.metrics.r2_score.
class R2 final : public PairedMetric {
 public:
  std::optional<double> result() const override;
};

/// Base of means of an error of each example, in [0, infinity). Undefined if all weights are 0.
class MeanError : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { sum_ = weight_ = 0; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;
  virtual double error(double difference) const = 0;

 private:
  double sum_ = 0, weight_ = 0;
};

/// Mean of (prediction - target)^2. Equals sklearn.metrics.mean_squared_error; with predicted probabilities of class 1
/// and targets 0 or 1 also brier_score_loss.
class MeanSquaredError final : public MeanError {
 protected:
  double error(double difference) const override { return difference * difference; }
};

/// Mean of |prediction - target|. Equals sklearn.metrics.mean_absolute_error.
class MeanAbsoluteError final : public MeanError {
 protected:
  double error(double difference) const override { return difference < 0 ? -difference : difference; }
};

/// Expected calibration error: the difference of accuracy and mean confidence within bins of similar confidence, as a
/// mean weighted by the examples of each bin, in [0, 1]. There are 15 bins of equal width; bin i holds confidences from
/// i/15 up to but excluding (i + 1)/15, the last bin 1, too. Undefined if all weights are 0.
/// predictions  confidences: the probability of each example's predicted class, in [0, 1]
/// targets      1 if the predicted class is right, else 0
/// source  Guo et al. 2017, arXiv:1706.04599; equals torchmetrics' MulticlassCalibrationError(n_bins=15, norm="l1")
class CalibrationError final : public Metric {
 public:
  std::optional<double> result() const override;
  void reset() override { bins_ = {}; }

 protected:
  const char* objection(float prediction, float target) const override;
  void add(float prediction, float target, double weight) override;

 private:
  struct Bin {
    double weight = 0, confidence = 0, hits = 0;
  };
  std::array<Bin, 15> bins_;
};

/// The class with the highest score in each row, the first of equal ones. In a row with NaN it is the index of the
/// first NaN, as in NumPy.
/// scores    [rows, classes]
/// errors    UsageError if `scores` is not a multiple of `classes`
std::vector<float> argmax(std::span<const float> scores, int64_t classes);

}  // namespace portatune::metrics
