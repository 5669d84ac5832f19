// compare, select, convert, stop_gradient, iota, full.
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "graph/ops/arrays.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

}  // namespace

TEST(Compare, SupportsAllDirections) {
  const Value x = f64({1, 2, 3}), y = f64({2, 2, 2});
  EXPECT_EQ(elements(compare(Direction::kEqual, x, y)), (Numbers{0, 1, 0}));
  EXPECT_EQ(elements(compare(Direction::kNotEqual, x, y)), (Numbers{1, 0, 1}));
  EXPECT_EQ(elements(compare(Direction::kLess, x, y)), (Numbers{1, 0, 0}));
  EXPECT_EQ(elements(compare(Direction::kLessEqual, x, y)), (Numbers{1, 1, 0}));
  EXPECT_EQ(elements(compare(Direction::kGreater, x, y)), (Numbers{0, 0, 1}));
  EXPECT_EQ(elements(compare(Direction::kGreaterEqual, x, y)), (Numbers{0, 1, 1}));
}

// Tests constants and parameters, because the compiler folds constants.
TEST(Compare, ComparesSignedIntegers) {
  const Tensor below({2}, {-100, 3}), above({2}, {0xFFFFFF9Cu, 3u});
  const Value x = parameter("x", below.type()), y = parameter("y", above.type());
  const auto is_negative = [](const Value& v) { return compare(Direction::kLess, v, full(v.type(), 1)); };
  EXPECT_EQ(elements(is_negative(constant(below))), (Numbers{1, 0}));
  EXPECT_EQ(elements(is_negative(constant(above))), (Numbers{0, 0}));
  const std::vector<Tensor> found = evaluate(
      {convert(is_negative(x), DType::kFloat32), convert(is_negative(y), DType::kFloat32)}, {x, y}, {below, above});
  EXPECT_EQ(to_floats(found[0].view()), (std::vector<float>{1, 0}));
  EXPECT_EQ(to_floats(found[1].view()), (std::vector<float>{0, 0}));
}

TEST(Select, ChoosesElementwise) {
  const Value x = f64({1, 2, 3});
  const Value small = compare(Direction::kLess, x, f64({2.5}));
  EXPECT_EQ(elements(select(small, x, f64({0}))), (Numbers{1, 2, 0}));
  EXPECT_EQ(elements(select(reshape(small, {3, 1}), f64({7}), f64({8}))), (Numbers{7, 7, 8}));
}

TEST(Select, GradientMatchesFiniteDifferences) {
  const Value mask = compare(Direction::kLess, constant(random({4}, 3)), full({DType::kFloat64, {4}}, 0));
  check_gradient([&](const Values& x) { return select(mask, x[0], x[1]); }, {random({4}, 1), random({4}, 2)});
}

TEST(Select, RequiresABoolCondition) {
  expect_shape_error([] { select(f64({1}), f64({1}), f64({2})); }, {"select", "bool"});
}

TEST(Convert, ChangesTheElementType) {
  const Value x = f64({1.75, -2.25});
  EXPECT_EQ(elements(convert(x, DType::kInt32)), (Numbers{1, -2}));
  EXPECT_EQ(elements(convert(f64({1.00390625}), DType::kBFloat16)), (Numbers{1}));
  EXPECT_EQ(convert(x, DType::kFloat64), x);
}

TEST(Convert, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return convert(convert(x[0], DType::kFloat32), DType::kFloat64); },
                 {random({3})}, {.step = 1e-2, .tolerance = 1e-5});
}

TEST(StopGradient, PassesValuesButNoGradient) {
  const Value x = parameter("x", {DType::kFloat64, {}});
  const Values results = {gradients(x * stop_gradient(x), {&x, 1})[0], stop_gradient(x)};
  const auto found = evaluate(results, {x}, {Tensor({}, {3.0})});
  EXPECT_EQ(found[0].as<double>()[0], 3);
  EXPECT_EQ(found[1].as<double>()[0], 3);
}

TEST(Iota, CountsAlongItsAxis) {
  EXPECT_EQ(elements(iota({DType::kInt32, {2, 3}}, 1)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(elements(iota({DType::kInt32, {2, 3}}, 0)), (Numbers{0, 0, 0, 1, 1, 1}));
  expect_shape_error([] { iota({DType::kInt32, {2}}, 1); }, {"iota", "axis 1"});
}

TEST(Full, HoldsOneNumber) {
  EXPECT_EQ(elements(full({DType::kFloat32, {2}}, -0.1f)), (Numbers{-0.1f, -0.1f}));
  EXPECT_EQ(elements(full({DType::kUInt32, {1}}, 4294967295.0)), (Numbers{4294967295.0}));
}

TEST(Constant, KeepsBools) {
  Tensor flags({DType::kBool, {3}});
  flags.data()[1] = std::byte{1};
  EXPECT_EQ(elements(constant(flags)), (Numbers{0, 1, 0}));
}

}  // namespace portatune::test
