#include "portatune/kernels/cpu/norm/rms_norm.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

constexpr double kRmsNormTolerance = 5e-6;  // float32 sums over a row
constexpr float kRmsNormEps = 1e-5F;

struct ExpectedRmsNorm {
  std::vector<double> y, rstd;
};

ExpectedRmsNorm naive_rms_norm(int64_t rows, int64_t size, const std::vector<double>& x,
                               const std::vector<double>& weight) {
  ExpectedRmsNorm result;
  for (int64_t i = 0; i < rows; ++i) {
    const double* row = x.data() + i * size;
    double mean_square = 0;
    for (int64_t j = 0; j < size; ++j) mean_square += row[j] * row[j] / static_cast<double>(size);
    result.rstd.push_back(1 / std::sqrt(mean_square + kRmsNormEps));
    for (int64_t j = 0; j < size; ++j) result.y.push_back(row[j] * result.rstd.back() * weight[static_cast<size_t>(j)]);
  }
  return result;
}

template <class T>
struct RmsNormCase {
  int64_t rows, size;
  std::vector<T> x, dy;
  std::vector<float> weight;

  RmsNormCase(int64_t rows, int64_t size)
      : rows(rows),
        size(size),
        x(random_array<T>(rows * size, 1, 2)),
        dy(random_array<T>(rows * size, 2)),
        weight(random_array<float>(size, 3)) {}

  // sum(y dy), whose gradients are the results of rms_norm_grad.
  double loss(const std::vector<double>& at, const std::vector<double>& with_weight) const {
    const std::vector<double> y = naive_rms_norm(rows, size, at, with_weight).y;
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += y[i] * to_float(dy[i]);
    return sum;
  }
};

template <class T>
class RmsNorm : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(RmsNorm, ElementTypes);

TYPED_TEST(RmsNorm, MatchesItsDefinition) {
  const TestWorkers workers;
  for (const auto& [rows, size] : {std::pair{1, 1}, {3, 7}, {31, 33}, {100, 127}, {7, 384}}) {
    const RmsNormCase<TypeParam> c(rows, size);
    std::vector<TypeParam> y(c.x.size());
    std::vector<float> rstd(static_cast<size_t>(rows));
    rms_norm(workers, rows, size, {.eps = kRmsNormEps}, c.x.data(), c.weight.data(), y.data(), rstd.data());
    const ExpectedRmsNorm expected = naive_rms_norm(rows, size, to_doubles(c.x), to_doubles(c.weight));
    expect_close(y, expected.y, kRmsNormTolerance + kRounding<TypeParam>);  // rounded twice
    expect_close(rstd, expected.rstd, kRmsNormTolerance);
  }
}

TYPED_TEST(RmsNorm, RoundsOnceWithoutTheFirstRounding) {
  const TestWorkers workers;
  const RmsNormCase<TypeParam> c(31, 33);
  std::vector<TypeParam> y(c.x.size());
  std::vector<float> rstd(31);
  rms_norm(workers, 31, 33, {.eps = kRmsNormEps, .rounds_first = false}, c.x.data(), c.weight.data(), y.data(),
           rstd.data());
  const std::vector<double> expected = naive_rms_norm(31, 33, to_doubles(c.x), to_doubles(c.weight)).y;
  for (size_t i = 0; i < y.size(); ++i) {
    const double half_unit = std::is_same_v<TypeParam, float> ? 0 : std::ldexp(std::abs(expected[i]), -8);
    EXPECT_NEAR(to_float(y[i]), expected[i], kRmsNormTolerance + half_unit);
  }
}

TYPED_TEST(RmsNorm, GradientsMatchCentralDifferences) {
  const TestWorkers workers;
  for (const auto& [rows, size] : {std::pair{1, 3}, {3, 7}, {5, 33}, {70, 17}}) {
    const RmsNormCase<TypeParam> c(rows, size);
    const std::vector<double> x = to_doubles(c.x), weight = to_doubles(c.weight);
    const ExpectedRmsNorm forward = naive_rms_norm(rows, size, x, weight);
    const std::vector<float> rstd(forward.rstd.begin(), forward.rstd.end());
    std::vector<TypeParam> dx(c.x.size());
    std::vector<float> dweight(c.weight.size());
    rms_norm_grad<TypeParam>(workers, rows, size, {c.dy.data(), c.x.data(), c.weight.data(), rstd.data()}, dx.data(),
                             dweight.data());
    expect_close(dx, differences(x, [&](const auto& at) { return c.loss(at, weight); }), 2e-5);
    expect_close(dweight, differences(weight, [&](const auto& at) { return c.loss(x, at); }), 2e-5);
  }
}

TYPED_TEST(RmsNorm, GradientDoesNotDependOnTheNumberOfThreads) {
  const RmsNormCase<TypeParam> c(300, 65);
  const std::vector<float> rstd(300, 0.5F);
  const RmsNormGradInputs<TypeParam> in{c.dy.data(), c.x.data(), c.weight.data(), rstd.data()};
  std::vector<TypeParam> dx(c.x.size());
  std::vector<float> dweight(c.weight.size()), alone = dweight;
  rms_norm_grad(TestWorkers(), c.rows, c.size, in, dx.data(), dweight.data());
  rms_norm_grad(CallerOnly(), c.rows, c.size, in, dx.data(), alone.data());
  EXPECT_EQ(dweight, alone);
}

}  // namespace
}  // namespace portatune::kernels
