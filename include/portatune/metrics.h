// Figures over all examples of an evaluation, gathered batch by batch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace portatune::metrics {

/// One figure over many examples. Weights count examples; a weight of 0 leaves the example out, whatever else its row
/// holds, as in the rows that fill up the last batch.
class Metric {
 public:
  virtual ~Metric() = default;

  /// Adds a batch.
  /// predictions, targets  [rows]; what they mean is said by each metric
  /// weights               [rows], finite and not negative; empty: all 1
  /// errors    UsageError if lengths differ; DataError, naming the row, for a weight, target or prediction that makes
  ///           no sense. After an error nothing of the batch has been added.
  void update(std::span<const float> predictions, std::span<const float> targets, std::span<const float> weights = {});

  /// The figure over all that was added since the last reset; nothing where it is not defined.
  virtual std::optional<double> result() const = 0;
  virtual void reset() = 0;

 protected:
  /// Says why an example cannot be added, or nullptr. Called for examples whose weight is not 0.
  virtual const char* objection(float prediction, float target) const = 0;
  /// Adds an example that was not objected to.
  virtual void add(float prediction, float target, double weight) = 0;
};

/// The weighted mean of the predictions, such as losses per example. Targets do not matter: give the predictions twice.
/// Not defined without weight; NaN if a value is NaN.
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

/// The weighted share of examples whose predicted class id (see `argmax`) is the target. Not defined without weight.
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

/// Area under the ROC curve: the probability that a positive example scores higher than a negative one, ties counting
/// half. Exact: keeps every score (16 bytes an example) and sorts them in `result`.
/// predictions  scores of the positive class, finite; only their order matters: logits or probabilities
/// targets      0 or 1
/// Not defined unless there are examples of both classes (scikit-learn: NaN and a warning).
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

/// F1 of class 1: 2 TP / (2 TP + FP + FN). Classes are 0 and 1. Not defined if class 1 is neither predicted nor true
/// (scikit-learn: 0 and a warning). Equals sklearn.metrics.f1_score
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

/// Weighted counts for each class id, of any number of classes.
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

/// Mean of the F1 of each class that is predicted or true; other classes do not count. Not defined without weight.
/// Equals sklearn.metrics.f1_score(average="macro")
class MacroF1 final : public ClassCountsMetric {
 public:
  std::optional<double> result() const override;
};

/// Matthews' correlation of predicted and true classes, two or more of them; 0 if only one class is predicted or true.
/// Not defined without weight. source: Gorodkin 2004, which for two classes is Matthews 1975; equals
/// sklearn.metrics.matthews_corrcoef
class MatthewsCorrelation final : public ClassCountsMetric {
 public:
  std::optional<double> result() const override;
};

/// Keeps predictions and targets, 16 bytes an example.
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

/// Pearson's correlation of predictions and targets. Not defined where one of them is constant (scipy: NaN and a
/// warning). Equals scipy.stats.pearsonr where all weights are 1.
class PearsonCorrelation final : public PairedMetric {
 public:
  std::optional<double> result() const override;
};

/// Pearson's correlation of the ranks, equal numbers sharing the mean of theirs. Every example counts once, whatever
/// its weight. Equals scipy.stats.spearmanr
class SpearmanCorrelation final : public PairedMetric {
 public:
  std::optional<double> result() const override;
};

/// The class with the highest score in each row; of equal ones the first. A row that holds NaN gives its first NaN, as
/// in NumPy.
/// scores    [rows, classes]
/// errors    UsageError if `scores` is not a multiple of `classes`
std::vector<float> argmax(std::span<const float> scores, int64_t classes);

}  // namespace portatune::metrics
