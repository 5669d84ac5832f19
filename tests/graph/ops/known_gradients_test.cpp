#include "portatune/graph/ops/known_gradients.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

Value numbers(float a, float b) { return constant(Tensor({2}, {a, b})); }

TEST(WithGradients, ScalesTheKnownGradients) {
  const Value x = numbers(1, 2), z = numbers(3, 4);
  // No gradient flows through the value itself, which would be 2 x.
  const Value y = with_gradients(sum(x * x), {x, z}, {numbers(5, 6), numbers(7, 8)});
  const Values found = gradients(y * 10.0 + sum(x), Values{x, z});
  EXPECT_EQ(elements(y), (std::vector<double>{5}));
  EXPECT_EQ(elements(found[0]), (std::vector<double>{51, 61}));
  EXPECT_EQ(elements(found[1]), (std::vector<double>{70, 80}));
}

TEST(WithGradients, ErrorsNameTheTypes) {
  const Value x = numbers(1, 2), one = full({DType::kFloat32, {}}, 1);
  expect_shape_error([&] { with_gradients(x, {x}, {x}); }, {"with_gradients", "float32[2]", "a float32 scalar"});
  expect_shape_error([&] { with_gradients(one, {x}, {one}); }, {"float32[2] and float32[]", "type of each value"});
  expect_shape_error([&] { with_gradients(one, {x}, {}); }, {"float32[2]", "type of each value"});
}

}  // namespace
}  // namespace portatune::test
