#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "graph/ops/arrays.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

Value u32(std::initializer_list<uint32_t> values) {
  return constant(Tensor({static_cast<int64_t>(values.size())}, values));
}

}  // namespace

TEST(Binary, ComputesElementByElement) {
  const Value x = f64({1, -2, 3}), y = f64({4, 5, 2});
  EXPECT_EQ(elements(x + y), (Numbers{5, 3, 5}));
  EXPECT_EQ(elements(x - y), (Numbers{-3, -7, 1}));
  EXPECT_EQ(elements(x * y), (Numbers{4, -10, 6}));
  EXPECT_EQ(elements(x / y), (Numbers{0.25, -0.4, 1.5}));
  EXPECT_EQ(elements(maximum(x, y)), (Numbers{4, 5, 3}));
  EXPECT_EQ(elements(minimum(x, y)), (Numbers{1, -2, 2}));
  EXPECT_EQ(elements(power(y, f64({2, 1, 3}))), (Numbers{16, 5, 8}));
}

TEST(Binary, AcceptsPlainNumbers) {
  const Value x = f64({1, 2});
  EXPECT_EQ(elements(1.0 - x * 2), (Numbers{-1, -3}));
  EXPECT_EQ(elements(2.0 / x + 1), (Numbers{3, 2}));
  EXPECT_EQ(elements((3.0 + x) / 2 - 1), (Numbers{1, 1.5}));
}

TEST(Binary, WorksOnBits) {
  const Value x = u32({0b1100, 0xFFFFFFFF}), y = u32({0b1010, 4});
  EXPECT_EQ(elements(bitwise_and(x, y)), (Numbers{0b1000, 4}));
  EXPECT_EQ(elements(bitwise_or(x, y)), (Numbers{0b1110, 0xFFFFFFFF}));
  EXPECT_EQ(elements(bitwise_xor(x, y)), (Numbers{0b0110, 0xFFFFFFFB}));
  EXPECT_EQ(elements(shift_left(y, u32({1, 2}))), (Numbers{0b10100, 16}));
  EXPECT_EQ(elements(shift_right_logical(x, u32({2, 28}))), (Numbers{0b11, 0xF}));
}

TEST(Binary, BroadcastsAsNumpyDoes) {
  const Value x = constant(Tensor({2, 1}, {1.0, 2.0}));
  EXPECT_EQ(elements(x + f64({10, 20, 30})), (Numbers{11, 21, 31, 12, 22, 32}));
}

TEST(Binary, GradientsMatchFiniteDifferences) {
  const std::vector<Tensor> xy{random({2, 3}, 1), random({2, 3}, 2)};
  check_gradient([](const Values& v) { return v[0] + v[1]; }, xy);
  check_gradient([](const Values& v) { return v[0] - v[1]; }, xy);
  check_gradient([](const Values& v) { return v[0] * v[1]; }, xy);
  check_gradient([](const Values& v) { return v[0] / (v[1] + 2.0); }, xy);
  check_gradient([](const Values& v) { return maximum(v[0], v[1]); }, xy);
  check_gradient([](const Values& v) { return minimum(v[0], v[1]); }, xy);
  check_gradient([](const Values& v) { return power(v[0] + 2.0, v[1]); }, xy);
}

TEST(Binary, GradientOfABroadcastOperandSumsUp) {
  check_gradient([](const Values& v) { return v[0] * v[1]; }, {random({2, 3, 4}, 1), random({3, 1}, 2)});
}

TEST(Binary, EqualOperandsOfMaximumShareTheGradient) {
  const Value x = parameter("x", {DType::kFloat64, {}}), y = parameter("y", {DType::kFloat64, {}});
  const Values params{x, y};
  const Tensor one({}, {1.0});
  for (const Tensor& g : evaluate(gradients(maximum(x, y), params), params, {one, one})) {
    EXPECT_EQ(g.as<double>()[0], 0.5);
  }
}

TEST(Binary, ErrorNamesShapesAndTypes) {
  expect_shape_error(
      [] {
        f64({1, 2}) + f64({1, 2, 3});
      },
      {"add", "float64[2] and float64[3]", "equal sizes or size 1"});
  expect_shape_error([] { f64({1}) * u32({1}); }, {"multiply", "float64[1] and uint32[1]", "convert()"});
}

}  // namespace portatune::test
