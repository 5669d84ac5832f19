#include "portatune/graph/ops/reductions/log_sum_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/ops/composites.h"

namespace portatune::test {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

TEST(LogSumExp, HasTheValuesOfTheFormula) {
  const Value x =
      log_sum_exp(constant(Tensor({3, 2}, {1000.F, 1000.F, std::log(2.F), std::log(6.F), kMinusInfinity, 3.F})));
  for (const Device* device : {&decompositions(), &kernels()}) {
    const Tensor y = evaluate({x}, {}, {}, *device)[0];
    EXPECT_NEAR(y.as<float>()[0], 1000 + std::log(2.0), 1e-4);
    EXPECT_NEAR(y.as<float>()[1], std::log(8.0), 1e-6);
    EXPECT_NEAR(y.as<float>()[2], 3, 1e-6);
  }
}

TEST(LogSumExp, IsMinusInfinityWhereAllElementsAre) {
  const Value x = log_sum_exp(constant(Tensor({1, 3}, {kMinusInfinity, kMinusInfinity, kMinusInfinity})));
  for (const Device* device : {&decompositions(), &kernels()}) {
    EXPECT_EQ(evaluate({x}, {}, {}, *device)[0].as<float>()[0], kMinusInfinity);
  }
}

TEST(LogSumExp, KernelAgreesWithItsDecomposition) {
  const Differentiable f = [](const Values& x) { return log_sum_exp(x[0] * 4); };
  for (const int64_t size : {1, 63, 64, 200}) check_kernel({"portatune.log_sum_exp"}, f, {f32({3, size})}, 1e-5);
  check_kernel({"portatune.log_sum_exp"}, f, {f32({2, 3, 65})}, 1e-5);
}

TEST(LogSumExp, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return log_sum_exp(x[0]); }, {f32({2, 5})}, kCoarse);
}

TEST(LogSumExp, ErrorNamesTheType) {
  const Value x = constant(Tensor({2}, {1.0, 2.0}));
  expect_shape_error([&] { log_sum_exp(x); }, {"log_sum_exp", "float64[2]", "x float32 [..., size]"});
}

}  // namespace
}  // namespace portatune::test
