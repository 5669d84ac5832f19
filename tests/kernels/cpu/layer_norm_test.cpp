#include "portatune/kernels/cpu/norm/layer_norm.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

constexpr double kLayerNormTolerance = 5e-6;  // float32 sums over a row
constexpr float kLayerNormEps = 1e-5F;

struct ExpectedLayerNorm {
  std::vector<double> y, mean, rstd;
};

ExpectedLayerNorm naive_layer_norm(int64_t rows, int64_t size, const std::vector<double>& x,
                                   const std::vector<double>& gamma, const std::vector<double>& beta) {
  ExpectedLayerNorm result;
  for (int64_t i = 0; i < rows; ++i) {
    const double* row = x.data() + i * size;
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < size; ++j) mean += row[j] / static_cast<double>(size);
    for (int64_t j = 0; j < size; ++j) variance += (row[j] - mean) * (row[j] - mean) / static_cast<double>(size);
    const double rstd = 1 / std::sqrt(variance + kLayerNormEps);
    for (int64_t j = 0; j < size; ++j) {
      result.y.push_back((row[j] - mean) * rstd * gamma[static_cast<size_t>(j)] + beta[static_cast<size_t>(j)]);
    }
    result.mean.push_back(mean);
    result.rstd.push_back(rstd);
  }
  return result;
}

template <class T>
struct LayerNormCase {
  int64_t rows, size;
  std::vector<T> x, dy;
  std::vector<float> gamma, beta;
  std::vector<double> gammas, betas;

  LayerNormCase(int64_t rows, int64_t size)
      : rows(rows),
        size(size),
        x(random_array<T>(rows * size, 1, 2)),
        dy(random_array<T>(rows * size, 2)),
        gamma(random_array<float>(size, 3)),
        beta(random_array<float>(size, 4)),
        gammas(to_doubles(gamma)),
        betas(to_doubles(beta)) {}

  ExpectedLayerNorm expected() const { return naive_layer_norm(rows, size, to_doubles(x), gammas, betas); }

  // sum(y dy), whose gradients are the results of layer_norm_grad.
  double loss(const std::vector<double>& at, const std::vector<double>& with_gamma,
              const std::vector<double>& with_beta) const {
    const std::vector<double> y = naive_layer_norm(rows, size, at, with_gamma, with_beta).y;
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += y[i] * to_float(dy[i]);
    return sum;
  }
};

template <class T>
class LayerNorm : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(LayerNorm, ElementTypes);

TYPED_TEST(LayerNorm, MatchesItsDefinition) {
  const TestWorkers workers;
  for (const auto& [rows, size] : {std::pair{1, 1}, {3, 7}, {31, 33}, {100, 127}, {7, 384}}) {
    const LayerNormCase<TypeParam> c(rows, size);
    std::vector<TypeParam> y(c.x.size());
    std::vector<float> mean(static_cast<size_t>(rows)), rstd(mean.size());
    layer_norm(workers, rows, size, kLayerNormEps, c.x.data(), c.gamma.data(), c.beta.data(), y.data(), mean.data(),
               rstd.data());
    const ExpectedLayerNorm expected = c.expected();
    expect_close(y, expected.y, kLayerNormTolerance);
    expect_close(mean, expected.mean, kLayerNormTolerance);
    expect_close(rstd, expected.rstd, kLayerNormTolerance);
  }
}

TYPED_TEST(LayerNorm, GradientsMatchCentralDifferences) {
  const TestWorkers workers;
  for (const auto& [rows, size] : {std::pair{1, 3}, {3, 7}, {5, 33}, {70, 17}}) {
    const LayerNormCase<TypeParam> c(rows, size);
    const ExpectedLayerNorm forward = c.expected();
    const std::vector<float> mean(forward.mean.begin(), forward.mean.end());
    const std::vector<float> rstd(forward.rstd.begin(), forward.rstd.end());
    std::vector<TypeParam> dx(c.x.size());
    std::vector<float> dgamma(c.gamma.size()), dbeta(c.beta.size());
    layer_norm_grad<TypeParam>(workers, rows, size, {c.dy.data(), c.x.data(), c.gamma.data(), mean.data(), rstd.data()},
                               dx.data(), dgamma.data(), dbeta.data());
    const std::vector<double> x = to_doubles(c.x);
    expect_close(dx, differences(x, [&](const auto& at) { return c.loss(at, c.gammas, c.betas); }), 2e-5);
    expect_close(dgamma, differences(c.gammas, [&](const auto& at) { return c.loss(x, at, c.betas); }), 2e-5);
    expect_close(dbeta, differences(c.betas, [&](const auto& at) { return c.loss(x, c.gammas, at); }), 2e-5);
  }
}

TYPED_TEST(LayerNorm, GradientDoesNotDependOnTheNumberOfThreads) {
  const LayerNormCase<TypeParam> c(300, 65);
  const std::vector<float> mean(300, 0.1F), rstd(300, 0.5F);
  const LayerNormGradInputs<TypeParam> in{c.dy.data(), c.x.data(), c.gamma.data(), mean.data(), rstd.data()};
  std::vector<TypeParam> dx(c.x.size());
  std::vector<float> dgamma(c.gamma.size()), dbeta(c.beta.size()), dgamma_alone = dgamma, dbeta_alone = dbeta;
  layer_norm_grad(TestWorkers(), c.rows, c.size, in, dx.data(), dgamma.data(), dbeta.data());
  layer_norm_grad(CallerOnly(), c.rows, c.size, in, dx.data(), dgamma_alone.data(), dbeta_alone.data());
  EXPECT_EQ(dgamma, dgamma_alone);
  EXPECT_EQ(dbeta, dbeta_alone);
}

}  // namespace
}  // namespace portatune::kernels
