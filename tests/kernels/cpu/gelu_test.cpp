#include "portatune/kernels/cpu/elementwise/gelu.h"

#include <numbers>

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

double naive_gelu(GeluForm form, double x) {
  if (form == GeluForm::kErf) return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
  const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(u));
}

double central_difference(GeluForm form, double x) {
  constexpr double kStep = 1e-4;
  return (naive_gelu(form, x + kStep) - naive_gelu(form, x - kStep)) / (2 * kStep);
}

template <class T>
class Gelu : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(Gelu, ElementTypes);

// Sizes around the vector widths, and one with several pieces of work.
constexpr int64_t kSizes[] = {1, 3, 7, 31, 33, 127, 100'003};

TYPED_TEST(Gelu, MatchesItsDefinition) {
  const TestWorkers workers;
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    for (const int64_t size : kSizes) {
      const auto x = random_array<TypeParam>(size, 1, 3);
      std::vector<TypeParam> y(x.size());
      gelu(workers, form, size, x.data(), y.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const double given = to_float(x[i]), expected = naive_gelu(form, given);
        const double tolerance = 2e-7 * std::abs(given) + kRounding<TypeParam> * std::abs(expected);
        ASSERT_NEAR(to_float(y[i]), expected, tolerance) << given;
      }
    }
  }
}

TYPED_TEST(Gelu, GradientMatchesCentralDifferences) {
  const TestWorkers workers;
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    for (const int64_t size : kSizes) {
      const auto x = random_array<TypeParam>(size, 1, 3), dy = random_array<TypeParam>(size, 2);
      std::vector<TypeParam> dx(x.size());
      gelu_grad(workers, form, size, x.data(), dy.data(), dx.data());
      for (size_t i = 0; i < x.size(); ++i) {
        const double scale = to_float(dy[i]), expected = scale * central_difference(form, to_float(x[i]));
        const double tolerance = 1e-6 * std::abs(scale) + kRounding<TypeParam> * std::abs(expected);
        ASSERT_NEAR(to_float(dx[i]), expected, tolerance) << to_float(x[i]);
      }
    }
  }
}

TEST(GeluLimits, AreZeroAndTheIdentity) {
  const std::vector<float> x{-1e30F, -40, 0, 40, 1e30F};
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    std::vector<float> y(x.size());
    gelu(CallerOnly(), form, 5, x.data(), y.data());
    EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 40, 1e30F}));
  }
}

}  // namespace
}  // namespace portatune::kernels
