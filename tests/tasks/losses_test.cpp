#include "portune/losses.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"

// Expected values: torch 2.15 in float64, torch.nn.functional.cross_entropy and binary_cross_entropy_with_logits.
namespace portune::test {
namespace {

// Losses of these logits, and the gradient of their sum.
struct Found {
  std::vector<float> losses, gradient;
};
using Loss = Value(const Value& logits, const Value& labels);
Found evaluate_loss(Loss* loss, const Tensor& logits, const Tensor& labels) {
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
  const Found found = evaluate_loss(softmax_cross_entropy,
                                    Tensor({3, 3}, {0.5f, -1.25f, 2.0f, -30.0f, 40.0f, 3.5f, 1000.0f, 0.0f, -1000.0f}),
                                    Tensor({3}, {2, 0, 1}));
  expect_near(found.losses, {0.23262198310203266, 70, 1000});
  expect_near(found.gradient, {0.1768201821074443, 0.030726740326436432, -0.20754692243388073, -1, 1, 0, 1, -1, 0});
}

TEST(SigmoidCrossEntropy, EqualsTorch) {
  const Found found = evaluate_loss(sigmoid_cross_entropy, Tensor({5}, {0.75f, -2.5f, 0.0f, 100.0f, -100.0f}),
                                    Tensor({5}, {1, 1, 0, 0, 1}));
  expect_near(found.losses, {0.38687100611489994, 2.5788897342925496, 0.6931471805599453, 100, 100});
  expect_near(found.gradient, {-0.320821300824607, -0.9241418199787564, 0.5, 1, -1});
}

}  // namespace
}  // namespace portune::test
