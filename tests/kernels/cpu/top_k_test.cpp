#include "portatune/kernels/cpu/search/top_k.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

struct Best {
  std::vector<float> values;
  std::vector<int32_t> indices;
  bool operator==(const Best&) const = default;
};

Best best_of(const Workers& workers, int64_t rows, int64_t size, int64_t k, const std::vector<float>& x) {
  Best best{std::vector<float>(static_cast<size_t>(rows * k)), std::vector<int32_t>(static_cast<size_t>(rows * k))};
  top_k(workers, rows, size, k, x.data(), best.values.data(), best.indices.data());
  return best;
}

// By a stable sort of whole rows.
Best sorted(int64_t rows, int64_t size, int64_t k, const std::vector<float>& x) {
  Best best;
  for (int64_t row = 0; row < rows; ++row) {
    const float* of_row = x.data() + row * size;
    std::vector<int32_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int32_t a, int32_t b) { return of_row[a] > of_row[b]; });
    for (int64_t i = 0; i < k; ++i) {
      best.indices.push_back(order[static_cast<size_t>(i)]);
      best.values.push_back(of_row[best.indices.back()]);
    }
  }
  return best;
}

TEST(TopKKernel, EqualsASort) {
  constexpr int64_t kRows = 3;
  for (const auto& [size, k] : {std::pair<int64_t, int64_t>{1, 1}, {7, 7}, {257, 4}, {2000, 8}, {2000, 300}}) {
    std::vector<float> x = random_array<float>(kRows * size, 5);
    for (float& value : x) value = std::round(value * 8) / 8;  // many equal elements
    EXPECT_EQ(best_of(TestWorkers(), kRows, size, k, x), sorted(kRows, size, k, x)) << size << ", " << k;
  }
}

TEST(TopKKernel, SortsInfinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {-kInfinity, -kInfinity, kInfinity, -kInfinity, 1};
  EXPECT_EQ(best_of(CallerOnly(), 1, 5, 4, x), (Best{{kInfinity, 1, -kInfinity, -kInfinity}, {2, 4, 0, 1}}));
}

TEST(TopKKernel, StaysInRangeWithNaNs) {
  const std::vector<float> x(600, std::numeric_limits<float>::quiet_NaN());
  for (const int32_t index : best_of(CallerOnly(), 1, 600, 5, x).indices)
    EXPECT_LT(static_cast<size_t>(index), x.size());
}

}  // namespace
}  // namespace portatune::kernels
