#include "portatune/kernels/cpu/search/log_sum_exp.h"

#include <limits>

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

TEST(LogSumExpKernel, EqualsTheFormulaInDouble) {
  constexpr int64_t kRows = 3;
  for (const int64_t size : {1, 63, 64, 65, 5000}) {
    const std::vector<float> x = random_array<float>(kRows * size, 7, 5);
    std::vector<double> expected;
    for (int64_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < size; ++i) sum += std::exp(static_cast<double>(x[static_cast<size_t>(row * size + i)]));
      expected.push_back(std::log(sum));
    }
    std::vector<float> found(kRows);
    log_sum_exp(TestWorkers(), kRows, size, x.data(), found.data());
    expect_close(found, expected, 1e-6);
  }
}

TEST(LogSumExpKernel, IsNaNWithANaN) {
  std::vector<float> x(100, 1.0F);
  x[70] = std::numeric_limits<float>::quiet_NaN();
  float found = 0;
  log_sum_exp(CallerOnly(), 1, 100, x.data(), &found);
  EXPECT_TRUE(std::isnan(found));
}

}  // namespace
}  // namespace portatune::kernels
