#include "portatune/tasks/losses.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/evaluate.h"

// Expected values: torch 2.15 in float64, torch.nn.functional.cross_entropy and binary_cross_entropy_with_logits.
namespace portatune::test {
namespace {

// Losses of these logits, and the gradient of their sum.
struct LossResult {
  std::vector<float> losses, gradient;
};
using Loss = Value(const Value& logits, const Value& labels);
LossResult evaluate_loss(Loss* loss, const Tensor& logits, const Tensor& labels) {
  const Value x = parameter("logits", logits.type()), y = parameter("labels", labels.type());
  const Value losses = loss(x, y);
  const std::vector<Tensor> found = evaluate({losses, gradients(sum(losses), Values{x})[0]}, {x, y}, {logits, labels});
  return {to_floats(found[0].view()), to_floats(found[1].view())};
}

void expect_near(const std::vector<float>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-6) << "element " << i;
}

TEST(SoftmaxCrossEntropy, EqualsTorch) {
  const LossResult found = evaluate_loss(
      softmax_cross_entropy, Tensor({3, 3}, {0.5f, -1.25f, 2.0f, -30.0f, 40.0f, 3.5f, 1000.0f, 0.0f, -1000.0f}),
      Tensor({3}, {2, 0, 1}));
  expect_near(found.losses, {0.23262198310203266, 70, 1000});
  expect_near(found.gradient, {0.1768201821074443, 0.030726740326436432, -0.20754692243388073, -1, 1, 0, 1, -1, 0});
}

TEST(SmoothedCrossEntropy, EqualsTorch) {
  const auto smoothed = [](const Value& logits, const Value& labels) {
    return smoothed_cross_entropy(logits, labels, 0.1);
  };
  const LossResult found =
      evaluate_loss(+smoothed, Tensor({2, 3}, {0.5f, -1.25f, 2.0f, -3.0f, 4.0f, 0.5f}), Tensor({2}, {2, 0}));
  expect_near(found.losses, {0.39095531543636596, 6.680635179426975});
  expect_near(found.gradient, {0.14348684877411097, -0.0026065930068969005, -0.14088025576721408, -0.9324489634647225,
                               0.9364959889003577, -0.0040470254356352806});
}

// Logits of twelve classes, three on each of four devices, and their results for the whole array.
class SharedLogits : public ::testing::Test {
 protected:
  const Mesh mesh_{.tensor = 4};
  const MeshAxes axes_{MeshAxis::kTensor};
  const Sharding of_classes_{.axis = 2, .over = axes_};
  const Device device_{{.mesh = mesh_, .cache_folder = program_cache()}};
  const Tensor logits_ = random(TensorType{DType::kFloat32, {2, 3, 12}});
  const Tensor labels_{{2, 3}, {0, 11, 5, -100, 6, 2}};
  const Value whole_ = parameter("logits", logits_.type()),
              part_ = parameter("logits", part_of(logits_.type(), of_classes_, mesh_)),
              gathered_ = all_gather(part_, 2, mesh_, axes_), y_ = parameter("labels", labels_.type());

  std::vector<Tensor> run(const Values& results, const std::vector<Sharding>& shardings) const {
    const Program program =
        device_.compile({.parameters = {part_, y_}, .results = results, .mesh = mesh_, .result_shardings = shardings});
    DeviceArray logits = device_.put(logits_.view(), of_classes_), labels = device_.put(labels_.view());
    std::vector<Tensor> found;
    for (const DeviceArray& result : program.run({&logits, &labels})) found.push_back(result.to_host());
    return found;
  }
  static void expect_equal(const Tensor& found, const Tensor& wanted) {
    ASSERT_EQ(found.type(), wanted.type());
    for (size_t i = 0; i < wanted.as<float>().size(); ++i) {
      EXPECT_NEAR(found.as<float>()[i], wanted.as<float>()[i], 1e-6) << "element " << i;
    }
  }
};

TEST_F(SharedLogits, GiveTheLossAndItsGradient) {
  const auto weighted = [](const Value& losses) {
    return losses * constant(random(TensorType{DType::kFloat32, {2, 3}}, 2));
  };
  const Value wanted = weighted(softmax_cross_entropy(whole_, y_)),
              found = weighted(softmax_cross_entropy(gathered_, y_));
  const std::vector<Tensor> of_one =
      evaluate({wanted, gradients(sum(wanted), Values{whole_})[0]}, {whole_, y_}, {logits_, labels_});
  // All devices compute the same loss, and the differentiated value is the sum over devices.
  const std::vector<Tensor> of_four = run({found, gradients(sum(found) / 4.0, Values{part_})[0]}, {{}, of_classes_});
  for (size_t i = 0; i < 2; ++i) expect_equal(of_four[i], of_one[i]);
}

TEST_F(SharedLogits, GiveTheSmoothedLoss) {
  const std::vector<Tensor> of_one =
      evaluate({smoothed_cross_entropy(whole_, y_, 0.2)}, {whole_, y_}, {logits_, labels_});
  const std::vector<Tensor> of_four = run({smoothed_cross_entropy(gathered_, y_, 0.2)}, {{}});
  expect_equal(of_four[0], of_one[0]);
}

TEST_F(SharedLogits, GiveLabelLogitsAndMaximum) {
  const std::vector<Tensor> of_one =
      evaluate({label_logits(whole_, y_), highest_logits(whole_)}, {whole_, y_}, {logits_, labels_});
  const std::vector<Tensor> of_four = run({label_logits(gathered_, y_), highest_logits(gathered_)}, {{}, {}});
  for (size_t i = 0; i < 2; ++i) expect_equal(of_four[i], of_one[i]);
  EXPECT_EQ(of_one[0].as<float>()[3], 0);
  EXPECT_EQ(of_one[1].as<float>()[0], std::ranges::max(logits_.as<float>().first(12)));
}

TEST_F(SharedLogits, AreNotGathered) {
  const Value loss = softmax_cross_entropy(gathered_, y_);
  const std::string text = to_stablehlo({.parameters = {part_, y_}, .results = {loss}, .mesh = mesh_}, {});
  EXPECT_EQ(text.find("2x3x12xf32"), std::string::npos);
}

TEST(AmSoftmaxLogits, HaveAMarginAtTheLabel) {
  const LossResult found =
      evaluate_loss(am_softmax_logits, Tensor({2, 3}, {0.5f, -0.25f, 1.0f, 0.5f, -1.0f, 0.25f}), Tensor({2}, {2, 1}));
  expect_near(found.losses, {15, -7.5, 18, 15, -42, 7.5});
  expect_near(found.gradient, {30, 30, 30, 30, 30, 30});
}

TEST(SigmoidCrossEntropy, EqualsTorch) {
  const LossResult found = evaluate_loss(sigmoid_cross_entropy, Tensor({5}, {0.75f, -2.5f, 0.0f, 100.0f, -100.0f}),
                                         Tensor({5}, {1, 1, 0, 0, 1}));
  expect_near(found.losses, {0.38687100611489994, 2.5788897342925496, 0.6931471805599453, 100, 100});
  expect_near(found.gradient, {-0.320821300824607, -0.9241418199787564, 0.5, 1, -1});
}

}  // namespace
}  // namespace portatune::test
