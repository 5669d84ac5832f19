#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portune::test {

namespace {

using Numbers = std::vector<double>;

Value sample() { return constant(Tensor({2, 3}, {1.0, 5.0, 2.0, -1.0, -4.0, -1.0})); }

}  // namespace

TEST(Reduce, SumsTakesTheMaximumAndTheMean) {
  EXPECT_EQ(elements(sum(sample(), {1})), (Numbers{8, -6}));
  EXPECT_EQ(elements(sum(sample(), {0})), (Numbers{0, 1, 1}));
  EXPECT_EQ(elements(sum(sample())), (Numbers{2}));
  EXPECT_EQ(elements(max(sample(), {-1})), (Numbers{5, -1}));
  EXPECT_EQ(elements(mean(sample(), {1})), (Numbers{8.0 / 3, -2}));
}

TEST(Reduce, KeepsReducedAxesOnRequest) {
  EXPECT_EQ(sum(sample(), {1}, ReducedAxes::kKeep).shape(), (Shape{2, 1}));
  EXPECT_EQ(max(sample(), {0, 1}, ReducedAxes::kKeep).shape(), (Shape{1, 1}));
}

TEST(Reduce, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return sum(x[0], {0, 2}); }, {random({2, 3, 4})});
  check_gradient([](const Values& x) { return max(x[0], {1}, ReducedAxes::kKeep); }, {random({2, 5})});
  check_gradient([](const Values& x) { return mean(x[0], {0}); }, {random({4, 2})});
}

TEST(Reduce, EqualMaximaShareTheGradient) {
  const Value x = parameter("x", {DType::kFloat64, {3}});
  const auto gradient = evaluate(gradients(sum(max(x, {0})), {&x, 1}), {x}, {Tensor({3}, {2.0, 1.0, 2.0})});
  EXPECT_EQ(gradient[0].as<double>()[0], 0.5);
  EXPECT_EQ(gradient[0].as<double>()[1], 0);
}

TEST(Reduce, ErrorNamesTheAxis) {
  expect_shape_error([] { sum(sample(), {2}); }, {"sum", "[2, 3]", "axis 2"});
  expect_shape_error([] { sum(sample(), {1, -1}); }, {"every axis at most once"});
}

TEST(Softmax, SumsToOneAndStandsLargeNumbers) {
  const Value x = constant(Tensor({1, 3}, {1000.0, 1000.0, 0.0}));
  EXPECT_EQ(elements(softmax(x, 1)), (Numbers{0.5, 0.5, 0}));
  EXPECT_NEAR(elements(log_softmax(x, 1))[0], -0.6931471805599453, 1e-12);
}

TEST(Softmax, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return softmax(x[0], 1); }, {random({2, 5})});
  check_gradient([](const Values& x) { return log_softmax(x[0], 0); }, {random({3, 2})});
}

}  // namespace portune::test
