#include "portatune/tasks/metrics/classification_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pair;

data::Example batch_of(const std::vector<int32_t>& labels, const std::vector<float>& weights) {
  data::Example batch;
  const Shape shape{static_cast<int64_t>(labels.size())};
  batch.set("labels", Tensor(shape, std::span<const int32_t>(labels)));
  batch.set(data::kExampleWeight, Tensor(shape, std::span<const float>(weights)));
  return batch;
}

data::Example logits_of(int64_t width, const std::vector<float>& logits) {
  data::Example outputs;
  outputs.set("logits", Tensor({static_cast<int64_t>(logits.size()) / width, width}, std::span<const float>(logits)));
  return outputs;
}

TEST(Probabilities, AreTheSoftmaxOrTheSigmoidOfTheLogits) {
  // Expected: torch 2.15 in float64.
  EXPECT_THAT(tasks::probabilities(Head::kSoftmax, std::vector<float>{0.5f, -1.25f, 2.0f}),
              ElementsAre(FloatNear(0.17682018f, 1e-7f), FloatNear(0.03072674f, 1e-7f), FloatNear(0.79245308f, 1e-7f)));
  EXPECT_THAT(tasks::probabilities(Head::kSigmoid, std::vector<float>{0.75f}),
              ElementsAre(FloatNear(0.67917870f, 1e-7f)));
  EXPECT_THAT(tasks::probabilities(Head::kMultiLabel, std::vector<float>{0.75f, -2.5f}),
              ElementsAre(FloatNear(0.67917870f, 1e-7f), FloatNear(0.07585818f, 1e-7f)));
  EXPECT_THAT(tasks::probabilities(Head::kSigmoid, std::vector<float>{-2.5f}),
              ElementsAre(FloatNear(0.07585818f, 1e-7f)));
}

TEST(Probabilities, OfExtremeLogitsAreFinite) {
  EXPECT_THAT(tasks::probabilities(Head::kSoftmax, std::vector<float>{1000, -1000}), ElementsAre(1, 0));
  EXPECT_THAT(tasks::probabilities(Head::kSigmoid, std::vector<float>{-1000}), ElementsAre(0));
  EXPECT_THAT(tasks::probabilities(Head::kSigmoid, std::vector<float>{1000}), ElementsAre(1));
}

TEST(PredictedClass, IsTheFirstMostProbableClass) {
  EXPECT_EQ(tasks::predicted_class(Head::kSoftmax, std::vector<float>{1, 3, 2}), 1);
  EXPECT_EQ(tasks::predicted_class(Head::kSoftmax, std::vector<float>{2, 3, 3}), 1);
  EXPECT_EQ(tasks::predicted_class(Head::kSigmoid, std::vector<float>{-0.1f}), 0);
  EXPECT_EQ(tasks::predicted_class(Head::kSigmoid, std::vector<float>{0}), 1);
}

TEST(ClassificationMetrics, OfASigmoidHead) {
  tasks::ClassificationMetrics metrics(Head::kSigmoid, 2);
  // One of the four pairs of a positive and a negative example is in the wrong order: -1 and 2.
  metrics.update(batch_of({1, 0}, {1, 1}), logits_of(1, {3, 2}));
  metrics.update(batch_of({1, 0}, {1, 1}), logits_of(1, {-1, -2}));
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("accuracy", 0.5), Pair("f1", 0.5), Pair("matthews_correlation", 0.0),
                                            Pair("roc_auc", 0.75)));
}

TEST(ClassificationMetrics, OfTwoClassesRankByTheDifferenceOfLogits) {
  tasks::ClassificationMetrics metrics(Head::kSoftmax, 2);
  // Differences 1, -1, 2: the second logit alone would rank the negative first.
  metrics.update(batch_of({1, 0, 1}, {1, 1, 1}), logits_of(2, {0, 1, 10, 9, -5, -3}));
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("accuracy", 1.0), Pair("f1", 1.0), Pair("matthews_correlation", 1.0),
                                            Pair("roc_auc", 1.0)));
}

TEST(ClassificationMetrics, OfManyClassesHaveMacroF1AndNoRocAuc) {
  tasks::ClassificationMetrics metrics(Head::kSoftmax, 3);
  metrics.update(batch_of({2, 0, 1, 1}, {1, 1, 1, 1}), logits_of(3, {0, 1, 2, 0, 1, 2, 0, 3, 2, 1, 3, 2}));
  // Predictions are 2, 2, 1, 1. Expected by scikit-learn 1.9.1: F1 of the classes is 0, 1 and 2/3.
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("accuracy", 0.75), Pair("f1_macro", DoubleNear(5.0 / 9, 1e-12)),
                                            Pair("matthews_correlation", DoubleNear(0.6708203932499369, 1e-12))));
}

TEST(ClassificationMetrics, IgnoresPaddingRows) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  tasks::ClassificationMetrics metrics(Head::kSigmoid, 2);
  metrics.update(batch_of({1, 0, 0, 0}, {1, 1, 0, 0}), logits_of(1, {3, -2, 5, kNan}));
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("accuracy", 1.0), Pair("f1", 1.0), Pair("matthews_correlation", 1.0),
                                            Pair("roc_auc", 1.0)));
}

TEST(ClassificationMetrics, OmitsRocAucOfOneClass) {
  tasks::ClassificationMetrics metrics(Head::kSigmoid, 2);
  EXPECT_TRUE(metrics.result().empty());
  metrics.update(batch_of({1, 1}, {1, 1}), logits_of(1, {3, -2}));
  EXPECT_THAT(metrics.result(),
              ElementsAre(Pair("accuracy", 0.5), Pair("f1", 2.0 / 3), Pair("matthews_correlation", 0.0)));
}

// scikit-learn has made tests/data/metrics.json (tests/oracle/tasks/make_metric_cases.py).
TEST(MultiLabelMetrics, AreThoseOfScikitLearn) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["multi_label_cases"];
  ASSERT_EQ(golden.size(), 3u);
  for (const auto& c : golden) {
    const int64_t labels = static_cast<int64_t>(c["labels"][0].size());
    tasks::MultiLabelMetrics metrics(labels);
    for (size_t row = 0; row < c["labels"].size(); ++row) {
      // Adds a padding row, which is wrong in every label.
      std::vector<float> truth = c["labels"][row], logits = c["logits"][row];
      truth.resize(2 * truth.size(), 1);
      logits.resize(2 * logits.size(), -1);
      data::Example batch;
      batch.set("labels", Tensor({2, labels}, std::span<const float>(truth)));
      batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 0.0f}));
      metrics.update(batch, logits_of(labels, logits));
    }
    std::map<std::string, double> found;
    for (const auto& [name, value] : metrics.result()) found[name] = value;
    for (const char* name : {"f1_micro", "f1_macro", "accuracy", "roc_auc_macro"}) {
      SCOPED_TRACE(c["name"].get<std::string>() + " " + name);
      EXPECT_EQ(found.contains(name), !c[name].is_null());
      if (!c[name].is_null()) {
        EXPECT_NEAR(found[name], c[name].get<double>(), 1e-12);
      }
    }
  }
}

// Sets the labels of a batch: class ids, or numbers of several columns.
void set_labels(data::Example& batch, const nlohmann::json& labels) {
  if (!labels[0].is_array()) {
    const std::vector<int32_t> ids = labels;
    batch.set("labels", Tensor({std::ssize(ids)}, std::span<const int32_t>(ids)));
    return;
  }
  std::vector<float> numbers;
  for (const std::vector<float> row : labels) numbers.insert(numbers.end(), row.begin(), row.end());
  batch.set("labels", Tensor({std::ssize(labels), std::ssize(labels[0])}, std::span<const float>(numbers)));
}

std::unique_ptr<Metrics> all_metrics(const std::string& head, int64_t columns) {
  const std::vector<std::string> all = {"all"};
  if (head == "softmax") return std::make_unique<tasks::ClassificationMetrics>(Head::kSoftmax, columns, all);
  if (head == "sigmoid") return std::make_unique<tasks::ClassificationMetrics>(Head::kSigmoid, 2, all);
  if (head == "multi_label") return std::make_unique<tasks::MultiLabelMetrics>(columns, all);
  return std::make_unique<tasks::RegressionMetrics>(columns, all);
}

TEST(NamedMetrics, AreThoseOfScikitLearn) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["task_cases"];
  ASSERT_EQ(golden.size(), 11u);
  for (const auto& c : golden) {
    const std::unique_ptr<Metrics> metrics = all_metrics(c["head"], std::ssize(c["logits"][0]));
    std::vector<float> logits;
    for (const std::vector<float> row : c["logits"]) logits.insert(logits.end(), row.begin(), row.end());
    const std::vector<float> weights = c["weights"];
    data::Example batch;
    set_labels(batch, c["labels"]);
    batch.set(data::kExampleWeight, Tensor({std::ssize(weights)}, std::span<const float>(weights)));
    metrics->update(batch, logits_of(std::ssize(c["logits"][0]), logits));
    std::map<std::string, double> found;
    for (const auto& [name, value] : metrics->result()) found[name] = value;
    for (const auto& [name, value] : c["metrics"].items()) {
      SCOPED_TRACE(c["name"].get<std::string>() + " " + name);
      ASSERT_TRUE(found.contains(name));
      EXPECT_NEAR(found[name], value.get<double>(), 1e-6);  // probabilities are float32
    }
    const bool is_weighted = c["name"].get<std::string>().ends_with("_weighted");
    if (!is_weighted) {
      EXPECT_EQ(found.size(), c["metrics"].size()) << c["name"];
    }
  }
}

TEST(NamedMetrics, AreComputedInTheirOrder) {
  tasks::ClassificationMetrics metrics(Head::kSigmoid, 2, {"recall", "accuracy"});
  metrics.update(batch_of({1, 0}, {1, 1}), logits_of(1, {3, 2}));
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("recall", 1.0), Pair("accuracy", 0.5)));
}

TEST(NamedMetrics, RefuseOtherNames) {
  try {
    tasks::ClassificationMetrics(Head::kSoftmax, 3, {"accuracy", "f2"});
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("'f2'"), ::testing::HasSubstr("f1_macro"),
                                               ::testing::HasSubstr("roc_auc_ovr")));
  }
}

TEST(NamedMetrics, SuggestTheNearestName) {
  try {
    tasks::ClassificationMetrics(Head::kSoftmax, 3, {"acuracy"});
    ADD_FAILURE() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean accuracy?"));
  }
}

TEST(MultiLabelMetrics, AreEmptyWithoutRows) { EXPECT_TRUE(tasks::MultiLabelMetrics(2).result().empty()); }

TEST(RegressionMetrics, AreTheCorrelationsOfLogitAndLabel) {
  tasks::RegressionMetrics metrics;
  data::Example batch;
  // Expected by scipy 1.17: pearsonr and spearmanr of (1, 2, 3, 10) and (1, 3, 2, 4).
  batch.set("labels", Tensor({5}, {1.0f, 3.0f, 2.0f, 4.0f, 99.0f}));
  batch.set(data::kExampleWeight, Tensor({5}, {1.0f, 1.0f, 1.0f, 1.0f, 0.0f}));
  metrics.update(batch, logits_of(1, {1, 2, 3, 10, -50}));
  EXPECT_THAT(metrics.result(), ElementsAre(Pair("pearson", ::testing::DoubleNear(0.8221921916437787, 1e-9)),
                                            Pair("spearmanr", ::testing::DoubleNear(0.7999999999999999, 1e-9))));
}

}  // namespace
}  // namespace portatune::test
