#include "portatune/kernels/cpu/update/column_sums.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

template <class T>
class ColumnSums : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(ColumnSums, ElementTypes);

TYPED_TEST(ColumnSums, SumAllRows) {
  for (const int64_t rows : {1, 7, 512, 513, 2000}) {
    for (const int64_t columns : {1, 33, 4099}) {
      const auto x = random_array<TypeParam>(rows * columns, 1);
      std::vector<double> expected(static_cast<size_t>(columns));
      for (size_t i = 0; i < x.size(); ++i) expected[i % expected.size()] += to_float(x[i]);
      std::vector<TypeParam> sums(expected.size());
      column_sums(TestWorkers(), rows, columns, x.data(), sums.data());
      expect_close(sums, expected, 1e-5);
      std::vector<TypeParam> alone(expected.size());
      column_sums(CallerOnly(), rows, columns, x.data(), alone.data());
      for (size_t j = 0; j < sums.size(); ++j) EXPECT_EQ(to_float(alone[j]), to_float(sums[j])) << j;
    }
  }
}

TYPED_TEST(ColumnSums, AddToExistingValues) {
  const auto x = random_array<TypeParam>(3 * 8, 2);
  std::vector<float> sums{10, 20, 30};
  add_columns(x.data(), 3, 8, 3, sums.data());
  for (size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(sums[j], 10.0 * static_cast<double>(j + 1) + to_float(x[j]) + to_float(x[8 + j]) + to_float(x[16 + j]),
                1e-5);
  }
}

}  // namespace
}  // namespace portatune::kernels
