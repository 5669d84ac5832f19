#include <gtest/gtest.h>

#include "graph/ops/composites.h"

namespace portatune::test {

Differentiable turn(int64_t heads, const Shape& tables) {
  return [heads, tables](const Values& x) {
    const Value angles = constant(f32(tables, 9)) * 3;
    return rotary(x[0], cos(angles), sin(angles), heads);
  };
}

TEST(Rotary, RotatesHalvesOfHeadsByTheAnglesOfTheToken) {
  // Two tokens with two heads of size 4. The angles are 0 and 90 degrees, then 90 and 180 degrees.
  const Value x =
      constant(Tensor({1, 2, 8}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}));
  const Value cos = constant(Tensor({2, 2}, {1.f, 0.f, 0.f, -1.f})),
              sin = constant(Tensor({2, 2}, {0.f, 1.f, 1.f, 0.f}));
  EXPECT_EQ(elements(rotary(x, cos, sin, 2)),
            (std::vector<double>{1, -4, 3, 2, 5, -8, 7, 6, -3, -2, 1, -4, -7, -6, 5, -8}));
}
TEST(Rotary, LeavesElementsBehindThePairsAsTheyAre) {
  // Two heads of size 5; one pair rotates by 90 degrees.
  const Value x = constant(Tensor({1, 1, 10}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f, 10.f}));
  const Value cos = constant(Tensor({1, 1}, {0.f})), sin = constant(Tensor({1, 1}, {1.f}));
  EXPECT_EQ(elements(rotary(x, cos, sin, 2)), (std::vector<double>{-2, 1, 3, 4, 5, -7, 6, 8, 9, 10}));
}
TEST(Rotary, AcceptsATableForEachExample) {
  const Value x = constant(Tensor({2, 1, 2}, {1.f, 2.f, 1.f, 2.f}));
  const Value cos = constant(Tensor({2, 1, 1}, {1.f, 0.f})), sin = constant(Tensor({2, 1, 1}, {0.f, 1.f}));
  EXPECT_EQ(elements(rotary(x, cos, sin, 1)), (std::vector<double>{1, 2, -2, 1}));
}
TEST(Rotary, GradientMatchesFiniteDifferences) {
  check_gradient(turn(2, {3, 2}), {f32({2, 3, 8})}, kCoarse);
  check_gradient(turn(1, {2, 3, 4}), {f32({2, 3, 8})}, kCoarse);
  check_gradient(turn(2, {3, 1}), {f32({2, 3, 8})}, kCoarse);
}
TEST(Rotary, KernelAgreesWithItsDecomposition) {
  for (const Shape& tables : {Shape{37, 5}, Shape{3, 37, 5}, Shape{37, 3}, Shape{3, 37, 1}}) {
    check_kernel({"portatune.rotary"}, turn(3, tables), {f32({3, 37, 30})}, 1e-6);
    check_kernel({"portatune.rotary"}, in_bf16(turn(3, tables)), {f32({3, 37, 30})}, 1e-2);
  }
}
TEST(Rotary, ErrorNamesTheOperands) {
  const Value x = constant(f32({2, 3, 8})), table = constant(f32({3, 4}));
  expect_shape_error([&] { rotary(x, table, table, 2); }, {"rotary", "[2, 3, 8]", "[3, 4]", "2 heads"});
  expect_shape_error([&] { rotary(x, table, table, 3); }, {"heads * head_size", "3 heads"});
}

}  // namespace portatune::test
