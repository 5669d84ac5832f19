#include "portatune/nn/l2_normalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "portatune/ops.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;

constexpr double kEps = 1e-12;

Tensor matrix(std::initializer_list<float> values) { return Tensor({2, 2}, values); }

TEST(L2Normalize, DividesByTheNormAlongTheAxis) {
  const Value x = constant(matrix({3, 4, 0, -2}));
  EXPECT_THAT(evaluate({nn::l2_normalize(x, 1, kEps)}).front().as<float>(),
              ElementsAre(FloatEq(0.6f), FloatEq(0.8f), 0, -1));
  EXPECT_THAT(evaluate({nn::l2_normalize(x, 0, kEps)}).front().as<float>(),
              ElementsAre(1, FloatEq(4 / std::sqrt(20.f)), 0, FloatEq(-2 / std::sqrt(20.f))));
}

TEST(L2Normalize, DividesByEpsWhereTheNormIsSmaller) {
  const Value x = constant(matrix({0, 0, 3e-9f, 4e-9f}));
  EXPECT_THAT(evaluate({nn::l2_normalize(x, 1, 1e-8)}).front().as<float>(),
              ElementsAre(0, 0, FloatEq(0.3f), FloatEq(0.4f)));
}

TEST(L2Normalize, HasAFiniteResultInFloat16) {
  const Value x = convert(constant(matrix({0, 0, 3, 4})), DType::kFloat16);
  const Value y = nn::l2_normalize(x, 1, kEps);
  EXPECT_EQ(y.dtype(), DType::kFloat16);
  EXPECT_THAT(evaluate({convert(y, DType::kFloat32)}).front().as<float>(),
              ElementsAre(0, 0, FloatNear(0.6f, 1e-3f), FloatNear(0.8f, 1e-3f)));
}

TEST(L2Normalize, GradientAgreesWithDifferences) {
  check_gradient([](const Values& x) { return nn::l2_normalize(x[0], 1, kEps); }, {random(Shape{3, 4})});
}

TEST(L2Normalize, GradientOfAZeroVectorIsFinite) {
  const Value x = parameter("x", {DType::kFloat32, {2, 2}});
  const Values dx = gradients(sum(nn::l2_normalize(x, 1, 1e-8), {0, 1}), {&x, 1});
  EXPECT_THAT(evaluate(dx, {x}, {matrix({0, 0, 3, 4})}).front().as<float>(),
              ElementsAre(FloatEq(1e8f), FloatEq(1e8f), FloatNear(0.032f, 1e-6f), FloatNear(-0.024f, 1e-6f)));
}

}  // namespace
}  // namespace portatune::test
