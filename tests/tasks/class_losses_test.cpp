// tests/oracle/tasks/make_class_loss_cases.py writes tests/data/tasks/class_losses.json with results of torch,
// torchvision and Keras.
#include "portatune/tasks/objectives/class_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Tensor matrix_of(const json& rows) {
  std::vector<float> values;
  for (const std::vector<float> row : rows) values.insert(values.end(), row.begin(), row.end());
  return Tensor({std::ssize(rows), std::ssize(rows[0])}, std::span<const float>(values));
}

Tensor label_tensor(const json& labels) {
  if (labels[0].is_array()) return matrix_of(labels);
  const std::vector<int32_t> ids = labels;
  return Tensor({std::ssize(ids)}, std::span<const int32_t>(ids));
}

LossOptions loss_options_of(const json& options) {
  return {.label_smoothing = options.value("label_smoothing", 0.0),
          .focal_gamma = options.value("focal_gamma", 0.0),
          .class_weights = options.value("class_weights", std::vector<float>()),
          .positive_weights = options.value("positive_weights", std::vector<float>())};
}

// Loss sum, weight sum, and gradient of the loss sum.
std::vector<Tensor> evaluate_loss(tasks::Problem problem, const Tensor& logits, const Tensor& labels,
                                  const Tensor& weights, const LossOptions& options) {
  const Value x = parameter("logits", logits.type()), y = parameter("labels", labels.type()),
              w = parameter("weights", weights.type());
  const Forward forward = tasks::sequence_classification(problem, x, y, w, options);
  return evaluate({forward.loss_sum, forward.weight_sum, gradients(forward.loss_sum, Values{x})[0]}, {x, y, w},
                  {logits, labels, weights});
}

TEST(ClassLosses, AreThoseOfTorchAndKeras) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/class_losses.json"));
  ASSERT_EQ(golden.size(), 10u);
  for (const json& c : golden) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const auto problem = c["head"] == "softmax" ? tasks::Problem::kSingleLabel : tasks::Problem::kMultiLabel;
    const Tensor logits = matrix_of(c["logits"]);
    const Tensor ones = Tensor({logits.shape()[0]}, std::span<const float>(std::vector<float>(c["labels"].size(), 1)));
    const std::vector<Tensor> found =
        evaluate_loss(problem, logits, label_tensor(c["labels"]), ones, loss_options_of(c["options"]));
    const float loss = found[0].as<float>()[0], weight = found[1].as<float>()[0];
    EXPECT_NEAR(loss, c["loss_sum"].get<double>(), 1e-5);
    if (!c["mean"].is_null()) {
      EXPECT_NEAR(loss / weight, c["mean"].get<double>(), 1e-5);
    }
    const Tensor gradient = matrix_of(c["gradient"]);
    for (size_t i = 0; i < gradient.as<float>().size(); ++i) {
      EXPECT_NEAR(found[2].as<float>()[i], gradient.as<float>()[i], 1e-5) << "element " << i;
    }
  }
}

TEST(ClassLosses, RowWeightsMultiplyClassWeights) {
  const Tensor logits({2, 2}, {0.5f, -1.0f, 2.0f, 1.0f}), labels({2}, {1, 0});
  const LossOptions options{.class_weights = {3, 0.5f}};
  const auto mean_of = [&](const Tensor& weights) {
    const std::vector<Tensor> found = evaluate_loss(tasks::Problem::kSingleLabel, logits, labels, weights, options);
    return found[0].as<float>()[0] / found[1].as<float>()[0];
  };
  // -log p of the labels: log(1 + e^1.5) and log(1 + e^-1), with the weights 2 x 0.5 and 1 x 3.
  const double wanted = (2 * 0.5 * std::log1p(std::exp(1.5)) + 3 * std::log1p(std::exp(-1.0))) / (2 * 0.5 + 3);
  EXPECT_NEAR(mean_of(Tensor({2}, {2.0f, 1.0f})), wanted, 1e-6);
}

TEST(ClassLosses, OfCertainPredictionsHaveFiniteGradients) {
  const LossOptions focal{.focal_gamma = 0.5};
  const Tensor logits({2, 2}, {1000.0f, -1000.0f, 1000.0f, -1000.0f}), ones({2}, {1.0f, 1.0f});
  const auto expect_finite = [&](tasks::Problem problem, const Tensor& labels) {
    for (const Tensor& found : evaluate_loss(problem, logits, labels, ones, focal)) {
      for (const float number : found.as<float>()) EXPECT_TRUE(std::isfinite(number));
    }
  };
  expect_finite(tasks::Problem::kSingleLabel, Tensor({2}, {0, 1}));
  expect_finite(tasks::Problem::kMultiLabel, Tensor({2, 2}, {1.0f, 0.0f, 0.0f, 1.0f}));
}

TEST(SoftmaxLosses, OfMissingLabelsAreZero) {
  const Value x = parameter("logits", {DType::kFloat32, {2, 3}}), y = parameter("labels", {DType::kInt32, {2}});
  const tasks::WeightedLosses losses = tasks::softmax_losses(x, y, {.label_smoothing = 0.1});
  const std::vector<Tensor> found =
      evaluate({losses.losses, losses.weights}, {x, y},
               {Tensor({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}), Tensor({2}, {-100, 0})});
  EXPECT_EQ(found[0].as<float>()[0], 0);
  EXPECT_EQ(found[1].as<float>()[0], 0);
  EXPECT_EQ(found[1].as<float>()[1], 1);
}

TEST(LossOptions, BelongToHeads) {
  const auto complaint = [](const LossOptions& options, Head head, size_t labels = 3) {
    return message_of<UsageError>([&] { tasks::check(options, head, labels); });
  };
  EXPECT_THAT(complaint({.label_smoothing = 0.1}, Head::kMultiLabel), HasSubstr("label_smoothing_factor"));
  EXPECT_THAT(complaint({.class_weights = {1, 2}}, Head::kSigmoid, 2), HasSubstr("positive_weights"));
  EXPECT_THAT(complaint({.positive_weights = {1, 2, 3}}, Head::kSoftmax), HasSubstr("class_weights"));
  EXPECT_THAT(complaint({.focal_gamma = 2}, Head::kRegression, 0), HasSubstr("regression head"));
  EXPECT_THAT(complaint({.class_weights = {1, 2}}, Head::kSoftmax), HasSubstr("2 weights for 3"));
  EXPECT_THAT(complaint({.class_weights = {1, 2, 0}}, Head::kSoftmax), HasSubstr("above 0"));
  EXPECT_THAT(complaint({.label_smoothing = 1}, Head::kSoftmax), HasSubstr("below 1"));
  tasks::check({.label_smoothing = 0.1, .focal_gamma = 2, .class_weights = {1, 2, 3}}, Head::kSoftmax, 3);
  tasks::check({.focal_gamma = 2, .positive_weights = {2}}, Head::kSigmoid, 2);
}

}  // namespace
}  // namespace portatune::test
