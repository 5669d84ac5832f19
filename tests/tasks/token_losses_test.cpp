// tests/oracle/tasks/make_token_loss_cases.py writes tests/data/tasks/token_losses.json with results of transformers'
// LabelSmoother and of torch.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "portatune/ops.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::test {
namespace {

using nlohmann::json;

// The numbers of a list of lists, and its shape.
template <class Number>
void flatten(const json& list, size_t depth, Shape& shape, std::vector<Number>& numbers) {
  if (!list.is_array()) return numbers.push_back(list.get<Number>());
  if (static_cast<size_t>(shape.rank()) == depth) shape.push_back(std::ssize(list));
  for (const json& element : list) flatten(element, depth + 1, shape, numbers);
}

template <class Number>
Tensor tensor_in(const json& list) {
  Shape shape;
  std::vector<Number> numbers;
  flatten(list, 0, shape, numbers);
  return Tensor(shape, std::span<const Number>(numbers));
}

Forward forward_of(const std::string& task, const Value& logits, const Value& labels, const Value& weights,
                   const LossOptions& options) {
  if (task == "token-classification") return tasks::token_classification(logits, labels, weights, options);
  if (task == "multiple-choice") {
    return tasks::sequence_classification(tasks::Problem::kSingleLabel, logits, labels, weights, options);
  }
  const Value wanted = task == "causal-lm" ? tasks::next_labels(labels) : labels;
  return tasks::language_modelling(tasks::token_figures(logits, wanted, options.label_smoothing), wanted, weights);
}

TEST(TokenLosses, AreThoseOfTransformersAndTorch) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/tasks/token_losses.json"));
  ASSERT_EQ(golden.size(), 6u);
  for (const json& c : golden) {
    SCOPED_TRACE(c["task"].get<std::string>() + " " + c["options"].dump());
    const Tensor logits = tensor_in<float>(c["logits"]), labels = tensor_in<int32_t>(c["labels"]);
    const std::vector<float> ones(static_cast<size_t>(labels.shape()[0]), 1);
    const Tensor weights({std::ssize(ones)}, std::span<const float>(ones));
    const Value x = parameter("logits", logits.type()), y = parameter("labels", labels.type()),
                w = parameter("weights", weights.type());
    const LossOptions options{.label_smoothing = c["options"]["label_smoothing"],
                              .class_weights = c["options"].value("class_weights", std::vector<float>())};
    const Forward forward = forward_of(c["task"], x, y, w, options);
    const Value mean = forward.loss_sum / forward.weight_sum;
    const std::vector<Tensor> found =
        evaluate({mean, gradients(mean, Values{x})[0]}, {x, y, w}, {logits, labels, weights});
    EXPECT_NEAR(found[0].as<float>()[0], c["loss"].get<double>(), 1e-5);
    const Tensor gradient = tensor_in<float>(c["gradient"]);
    for (size_t i = 0; i < gradient.as<float>().size(); ++i) {
      EXPECT_NEAR(found[1].as<float>()[i], gradient.as<float>()[i], 1e-5) << "element " << i;
    }
  }
}

// The focal factor is that of a single label, which class_losses_test.cpp compares with Keras.
TEST(TokenLosses, OfATagAreThoseOfAClass) {
  const LossOptions options{.label_smoothing = 0.2, .focal_gamma = 1.5, .class_weights = {0.5, 2, 1.25}};
  const Tensor logits = random(TensorType{DType::kFloat32, {6, 3}}), tags({6}, {2, 0, 1, 1, 0, 2});
  const Value x = parameter("logits", logits.type()), y = parameter("labels", tags.type());
  const Value one = full({DType::kFloat32, {2}}, 1), ones = full({DType::kFloat32, {6}}, 1);
  const Forward of_tags = tasks::token_classification(reshape(x, {2, 3, 3}), reshape(y, {2, 3}), one, options);
  const Forward of_classes = tasks::sequence_classification(tasks::Problem::kSingleLabel, x, y, ones, options);
  const std::vector<Tensor> found = evaluate(
      {of_tags.loss_sum, of_tags.weight_sum, of_classes.loss_sum, of_classes.weight_sum}, {x, y}, {logits, tags});
  EXPECT_NEAR(found[0].as<float>()[0], found[2].as<float>()[0], 1e-5);
  EXPECT_NEAR(found[1].as<float>()[0], found[3].as<float>()[0], 1e-5);
}

}  // namespace
}  // namespace portatune::test
