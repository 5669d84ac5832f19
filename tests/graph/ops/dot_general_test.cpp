#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {

const DotDimensions kMatmul{.lhs_contracting = {1}, .rhs_contracting = {0}};

TEST(DotGeneral, MultipliesMatrices) {
  const Value a = constant(Tensor({2, 2}, {1.0, 2.0, 3.0, 4.0})), b = constant(Tensor({2, 2}, {5.0, 6.0, 7.0, 8.0}));
  EXPECT_EQ(elements(dot_general(a, b, kMatmul)), (std::vector<double>{19, 22, 43, 50}));
}

TEST(DotGeneral, SumsBfloat16ProductsInFloat32) {
  const Value ones = full({DType::kBFloat16, {1, 300}}, 1.0);
  const Value y = dot_general(ones, ones, {.lhs_contracting = {1}, .rhs_contracting = {1}}, DType::kFloat32);
  EXPECT_EQ(y.dtype(), DType::kFloat32);
  EXPECT_EQ(elements(y), (std::vector<double>{300}));
}

TEST(DotGeneral, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return dot_general(x[0], x[1], kMatmul); },
                 {random({2, 3}, 1), random({3, 4}, 2)});
  // Batch axes that are not the first, two contracting axes in a different order on each side, two free axes.
  const DotDimensions dims{.lhs_batch = {1}, .rhs_batch = {2}, .lhs_contracting = {3, 0}, .rhs_contracting = {0, 3}};
  check_gradient([&](const Values& x) { return dot_general(x[0], x[1], dims); },
                 {random({2, 3, 4, 5}, 1), random({5, 2, 3, 2}, 2)});
}

TEST(DotGeneral, ErrorNamesShapesAndAxes) {
  expect_shape_error(
      [] {
        dot_general(constant(random({2, 3})), constant(random({4, 5})), kMatmul);
      },
      {"dot_general", "[2, 3]", "[4, 5]", "contracting [1] x [0]"});
}

}  // namespace portatune::test
