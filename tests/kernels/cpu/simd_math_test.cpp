#include "portatune/kernels/cpu/elementwise/simd_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace portatune::kernels {
namespace {

// The distribution function of the standard normal distribution.
double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(ExpNonpositive, IsWithinItsStatedError) {
  for (float x = 0; x > -87; x -= 0.00137F) {
    const double exact = std::exp(static_cast<double>(x));
    ASSERT_NEAR(exp_nonpositive(x), exact, 1.5e-7 * exact) << x;
  }
}

TEST(ExpNonpositive, IsExactAtItsEnds) {
  EXPECT_EQ(exp_nonpositive(0.0F), 1.0F);
  EXPECT_EQ(exp_nonpositive(-88.0F), 0.0F);
  EXPECT_EQ(exp_nonpositive(-1e30F), 0.0F);
  EXPECT_EQ(exp_nonpositive(-std::numeric_limits<float>::infinity()), 0.0F);
}

TEST(ExpNonpositive, KeepsNaN) { EXPECT_TRUE(std::isnan(exp_nonpositive(std::nanf("")))); }

TEST(NormalDistribution, IsWithinItsStatedError) {
  for (float x = -9; x < 9; x += 0.00037F) {
    const Normal normal = normal_distribution(x);
    ASSERT_NEAR(normal.cumulative, phi(x), 2e-7) << x;
    ASSERT_NEAR(normal.exponential, std::exp(-0.5 * x * x), 1e-7) << x;
  }
}

TEST(NormalDistribution, IsFiniteFarOut) {
  EXPECT_EQ(normal_distribution(1e30F).cumulative, 1.0F);
  EXPECT_EQ(normal_distribution(-1e30F).cumulative, 0.0F);
}

TEST(Logistic, IsWithinAFewRoundings) {
  for (float x = -80; x < 80; x += 0.013F) {
    const double exact = 1 / (1 + std::exp(-static_cast<double>(x)));
    const double complement = 1 / (1 + std::exp(static_cast<double>(x)));
    ASSERT_NEAR(logistic(x).value, exact, 3e-7 * exact) << x;
    ASSERT_NEAR(logistic(x).complement, complement, 3e-7 * complement) << x;
  }
}

TEST(Tanh, IsWithinItsStatedError) {
  for (float x = -20; x < 20; x += 0.00071F) {
    const double exact = std::tanh(static_cast<double>(x));
    ASSERT_NEAR(kernels::tanh(x), exact, 3e-7 * std::abs(exact)) << x;
  }
  EXPECT_EQ(kernels::tanh(1e-10F), 1e-10F);
  EXPECT_EQ(kernels::tanh(-1e30F), -1.0F);
  EXPECT_TRUE(std::isnan(kernels::tanh(std::nanf(""))));
}

}  // namespace
}  // namespace portatune::kernels
