#include "portatune/kernels/cpu/update/sum_of_squares.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

template <class T>
class SumOfSquares : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(SumOfSquares, ElementTypes);

TYPED_TEST(SumOfSquares, AddsInDouble) {
  for (const int64_t size : {1, 3, 7, 31, 33, 127, 300'007}) {
    const auto x = random_array<TypeParam>(size, 1);
    double expected = 0;
    for (const TypeParam& value : x) expected += std::pow(to_float(value), 2.0);
    EXPECT_NEAR(sum_of_squares(TestWorkers(), size, x.data()), expected, 1e-12 * expected) << size;
  }
}

TYPED_TEST(SumOfSquares, DoesNotDependOnTheNumberOfThreads) {
  const auto x = random_array<TypeParam>(300'007, 1);
  EXPECT_EQ(sum_of_squares(TestWorkers(), 300'007, x.data()), sum_of_squares(CallerOnly(), 300'007, x.data()));
}

TEST(SumOfSquaresRange, DoesNotOverflowAFloat) {
  const std::vector<float> x(10, 1e30F);
  EXPECT_NEAR(sum_of_squares(CallerOnly(), 10, x.data()), 1e61, 1e55);
}

TEST(SumOfSquaresRange, IsZeroForNoElements) {
  EXPECT_EQ(sum_of_squares(CallerOnly(), 0, static_cast<const float*>(nullptr)), 0);
}

}  // namespace
}  // namespace portatune::kernels
