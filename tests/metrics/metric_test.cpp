// tests/oracle/tasks/make_metric_cases.py writes tests/data/metrics.json with results of scikit-learn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/metrics.h"

namespace portatune::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

nlohmann::json cases() { return nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["cases"]; }

// Adds a case in batches of `batch` rows.
void update_in_batches(Metric& metric, const Floats& predictions, const Floats& targets, const Floats& weights,
                       size_t batch) {
  const auto part = [&](const Floats& values, size_t begin) {
    if (values.empty()) return std::span<const float>();
    return std::span(values).subspan(begin, std::min(batch, values.size() - begin));
  };
  for (size_t begin = 0; begin < predictions.size(); begin += batch) {
    metric.update(part(predictions, begin), part(targets, begin), part(weights, begin));
  }
}

// Expects the case's metric `key` with batches of any size. `predict` computes predictions from scores.
template <class M>
void expect_as_in_scikit_learn(const std::string& key, const std::function<float(float)>& predict) {
  for (const auto& each : cases()) {
    Floats predictions = each["scores"];
    std::transform(predictions.begin(), predictions.end(), predictions.begin(), predict);
    M metric;
    for (const size_t batch : {1, 7, 1000}) {
      SCOPED_TRACE(each["name"].get<std::string>() + " in batches of " + std::to_string(batch));
      metric.reset();
      update_in_batches(metric, predictions, each["labels"], each["weights"], batch);
      ASSERT_EQ(metric.result().has_value(), !each[key].is_null());
      if (metric.result()) {
        EXPECT_NEAR(*metric.result(), each[key].get<double>(), 1e-12);
      }
    }
  }
}

TEST(RocAuc, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<RocAuc>("roc_auc", [](float score) { return score; });
}
TEST(AveragePrecision, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<AveragePrecision>("average_precision", [](float score) { return score; });
}
TEST(Precision, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<Precision>("precision", [](float score) { return score > 0 ? 1.0f : 0.0f; });
}
TEST(Recall, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<Recall>("recall", [](float score) { return score > 0 ? 1.0f : 0.0f; });
}
TEST(MeanSquaredError, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<MeanSquaredError>("mse", [](float score) { return score; });
}
TEST(MeanAbsoluteError, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<MeanAbsoluteError>("mae", [](float score) { return score; });
}
TEST(R2, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<R2>("r2", [](float score) { return score; });
}
TEST(CalibrationError, AgreesWithTorchmetrics) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["calibration_cases"];
  ASSERT_EQ(golden.size(), 4u);
  for (const auto& each : golden) {
    SCOPED_TRACE(each["name"].get<std::string>());
    CalibrationError error;
    update_in_batches(error, each["confidences"], each["hits"], {}, 7);
    ASSERT_TRUE(error.result());
    EXPECT_NEAR(*error.result(), each["error"].get<double>(), 1e-6);  // torchmetrics adds in float32
  }
}
TEST(CalibrationError, WeightsCountAsExamples) {
  CalibrationError weighted, repeated;
  weighted.update(Floats{0.7f, 0.75f, 0.4f}, Floats{1, 0, 1}, Floats{1, 2, 1});
  repeated.update(Floats{0.7f, 0.75f, 0.75f, 0.4f}, Floats{1, 0, 0, 1});
  EXPECT_NEAR(*weighted.result(), *repeated.result(), 1e-12);
}
TEST(CalibrationError, RefusesWhatIsNoProbability) {
  CalibrationError error;
  for (const float confidence : {-0.1f, 1.1f, kNan})
    EXPECT_THROW(error.update(Floats{confidence}, Floats{1}), DataError);
}
TEST(F1, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<F1>("f1", [](float score) { return score > 0 ? 1.0f : 0.0f; });
}
TEST(MatthewsCorrelation, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<MatthewsCorrelation>("matthews", [](float score) { return score > 0 ? 1.0f : 0.0f; });
}
TEST(MulticlassMetrics, AgreeWithScikitLearn) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["multi_class_cases"];
  ASSERT_EQ(golden.size(), 7u);
  for (const auto& each : golden) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const auto expect = [&](Metric& metric, const char* key) {
      update_in_batches(metric, each["predicted"], each["labels"], each["weights"], 7);
      ASSERT_TRUE(metric.result());
      EXPECT_NEAR(*metric.result(), each[key].get<double>(), 1e-12);
    };
    const auto expect_averages = [&](ClassAverage::Score score, const std::string& name) {
      ClassAverage micro(score, Average::kMicro), macro(score, Average::kMacro), weighted(score, Average::kWeighted);
      expect(micro, (name + "_micro").c_str());
      expect(macro, (name + "_macro").c_str());
      expect(weighted, (name + "_weighted").c_str());
    };
    expect_averages(&ClassCounts::precision, "precision");
    expect_averages(&ClassCounts::recall, "recall");
    expect_averages(&ClassCounts::f1, "f1");
    MatthewsCorrelation matthews;
    expect(matthews, "matthews");
  }
}
TEST(Correlation, AgreesWithScipy) {
  for (const auto& each : cases()) {
    if (!each["weights"].empty()) continue;
    SCOPED_TRACE(each["name"].get<std::string>());
    const auto expect = [&](Metric& metric, const char* key) {
      update_in_batches(metric, each["scores"], each["labels"], {}, 7);
      ASSERT_EQ(metric.result().has_value(), !each[key].is_null());
      if (metric.result()) {
        EXPECT_NEAR(*metric.result(), each[key].get<double>(), 1e-6);  // scipy keeps float32
      }
    };
    PearsonCorrelation pearson;
    expect(pearson, "pearson");
    SpearmanCorrelation spearman;
    expect(spearman, "spearman");
  }
}
// Sums of many weighted numbers are rounded: equal ones seem to deviate from their mean.
TEST(WeightedMetrics, AreNotDefinedForConstantTargets) {
  Floats predictions(100);
  for (size_t i = 0; i < predictions.size(); ++i) predictions[i] = 0.01f * static_cast<float>(i);
  const Floats targets(100, 1.1f), weights(100, 0.7f);
  R2 r2;
  PearsonCorrelation pearson;
  for (Metric* metric : {static_cast<Metric*>(&r2), static_cast<Metric*>(&pearson)}) {
    metric->update(predictions, targets, weights);
    EXPECT_FALSE(metric->result());
  }
}
TEST(ClassMetrics, RefuseWhatIsNoClassId) {
  for (const float id : {0.5f, kNan, kInfinity, 1e30f}) {
    Accuracy accuracy;
    MatthewsCorrelation matthews;
    EXPECT_THROW(accuracy.update(Floats{id}, Floats{1}), DataError) << id;
    EXPECT_THROW(matthews.update(Floats{1}, Floats{id}), DataError) << id;
  }
}
TEST(PearsonCorrelation, WeightsCountAsExamples) {
  PearsonCorrelation weighted, repeated;
  weighted.update(Floats{1, 2, 4}, Floats{2, 1, 3}, Floats{1, 2, 1});
  repeated.update(Floats{1, 2, 2, 4}, Floats{2, 1, 1, 3});
  EXPECT_NEAR(*weighted.result(), *repeated.result(), 1e-12);
}
TEST(Accuracy, AgreesWithScikitLearn) {
  expect_as_in_scikit_learn<Accuracy>("accuracy", [](float score) { return score > 0 ? 1.0f : 0.0f; });
}
TEST(Mean, AgreesWithNumpy) {
  expect_as_in_scikit_learn<Mean>("mean", [](float score) { return score; });
}

template <class M>
class EveryMetric : public ::testing::Test {};
struct MacroF1 : ClassAverage {
  MacroF1() : ClassAverage(&ClassCounts::f1, Average::kMacro) {}
};
using Metrics = ::testing::Types<Mean, Accuracy, RocAuc, AveragePrecision, Precision, Recall, MacroF1,
                                 MatthewsCorrelation, MeanSquaredError, MeanAbsoluteError, R2, CalibrationError>;
TYPED_TEST_SUITE(EveryMetric, Metrics);

TYPED_TEST(EveryMetric, IsNotDefinedWithoutExamples) {
  TypeParam metric;
  EXPECT_FALSE(metric.result());
  metric.update(Floats{1, 0}, Floats{1, 0}, Floats{0, 0});
  EXPECT_FALSE(metric.result());
  metric.update({}, {});
  EXPECT_FALSE(metric.result());
}

TYPED_TEST(EveryMetric, RowsOfWeightZeroMayHoldAnything) {
  TypeParam with, without;
  with.update(Floats{1, kNan, 0, kInfinity, 7}, Floats{1, 0, 0, -100, kNan}, Floats{1, 0, 2, 0, 0});
  without.update(Floats{1, 0}, Floats{1, 0}, Floats{1, 2});
  ASSERT_TRUE(without.result());
  EXPECT_EQ(with.result(), without.result());
}

TYPED_TEST(EveryMetric, ABatchWithAnErrorAddsNothing) {
  TypeParam metric;
  metric.update(Floats{1, 0}, Floats{1, 0});
  const auto before = metric.result();
  EXPECT_THROW(metric.update(Floats{0, 1}, Floats{1, 0}, Floats{1, -1}), DataError);
  EXPECT_THROW(metric.update(Floats{0, 1}, Floats{1, 0}, Floats{1, kNan}), DataError);
  EXPECT_THROW(metric.update(Floats{0, 1}, Floats{1}), UsageError);
  EXPECT_THROW(metric.update(Floats{0, 1}, Floats{1, 0}, Floats{1}), UsageError);
  EXPECT_EQ(metric.result(), before);
}

TYPED_TEST(EveryMetric, StartsAnewAfterReset) {
  TypeParam metric;
  metric.update(Floats{0, 1}, Floats{1, 0});
  metric.reset();
  EXPECT_FALSE(metric.result());
}

TEST(RocAuc, RefusesInvalidTargetsAndNonFiniteScores) {
  RocAuc auc;
  EXPECT_THROW(auc.update(Floats{0.5}, Floats{2}), DataError);
  EXPECT_THROW(auc.update(Floats{kInfinity}, Floats{1}), DataError);
  try {
    auc.update(Floats{0.5, 0.5, kNan}, Floats{0, 1, 1});
    ADD_FAILURE() << "NaN was accepted as a score";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 2"));
  }
}

TEST(RocAuc, IsUndefinedForOneClassAfterWeights) {
  RocAuc auc;
  auc.update(Floats{1, 2, 3}, Floats{1, 1, 0}, Floats{1, 1, 0});
  EXPECT_FALSE(auc.result());
}

TEST(Accuracy, RefusesScoresInPlaceOfClassIds) {
  Accuracy accuracy;
  EXPECT_THROW(accuracy.update(Floats{0.7f}, Floats{1}), DataError);
  EXPECT_THROW(accuracy.update(Floats{kNan}, Floats{1}), DataError);
}

TEST(MatthewsCorrelation, RefusesScoresInPlaceOfClassIds) {
  MatthewsCorrelation matthews;
  EXPECT_THROW(matthews.update(Floats{0.7f}, Floats{1}), DataError);
  EXPECT_THROW(matthews.update(Floats{kNan}, Floats{1}), DataError);
}

TEST(Argmax, ReturnsTheFirstHighestScore) {
  EXPECT_THAT(argmax(Floats{1, 3, 2, 5, 5, 4, -3, -2, -1}, 3), ElementsAre(1, 0, 2));
  EXPECT_THAT(argmax(Floats{1, kNan, kNan, kNan, 7, 7}, 3), ElementsAre(1, 0));
  EXPECT_THAT(argmax({}, 3), ElementsAre());
  EXPECT_THROW(argmax(Floats{1, 2, 3}, 2), UsageError);
  EXPECT_THROW(argmax(Floats{1}, 0), UsageError);
}

}  // namespace
}  // namespace portatune::metrics
