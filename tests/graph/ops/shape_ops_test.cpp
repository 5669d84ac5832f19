// broadcast_to, reshape, transpose, slice, pad, concatenate.
#include <gtest/gtest.h>

#include <numeric>

#include "graph/evaluate.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

// 0, 1, 2, ... in the given shape.
Value counted(const Shape& shape) {
  Tensor tensor({DType::kFloat64, shape});
  std::iota(tensor.as<double>().begin(), tensor.as<double>().end(), 0.0);
  return constant(tensor);
}

}  // namespace

TEST(BroadcastTo, RepeatsAlongNewAxesAndAxesOfSizeOne) {
  EXPECT_EQ(elements(broadcast_to(counted({2, 1}), {2, 2, 2})), (Numbers{0, 0, 1, 1, 0, 0, 1, 1}));
}
TEST(BroadcastTo, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return broadcast_to(x[0], {3, 2, 4}); }, {random({2, 1})});
}
TEST(BroadcastTo, ErrorNamesBothShapes) {
  expect_shape_error([] { broadcast_to(counted({2, 3}), {3, 3}); }, {"[2, 3]", "[3, 3]"});
}

TEST(Reshape, KeepsRowMajorOrderAndInfersOneSize) {
  const Value y = reshape(counted({2, 3}), {3, -1});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(elements(y), (Numbers{0, 1, 2, 3, 4, 5}));
}
TEST(Reshape, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return reshape(x[0], {6}); }, {random({2, 3})});
}
TEST(Reshape, ErrorNamesBothShapes) {
  expect_shape_error([] { reshape(counted({2, 3}), {4, -1}); }, {"reshape", "[2, 3]", "[4, 1]"});
}

TEST(Transpose, MovesAxes) {
  EXPECT_EQ(elements(transpose(counted({2, 3}), {1, 0})), (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(transpose(counted({2, 3, 4}), {2, 0, 1}).shape(), (Shape{4, 2, 3}));
}
TEST(Transpose, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return transpose(x[0], {2, 0, 1}); }, {random({2, 3, 4})});
}
TEST(Transpose, ErrorNamesThePermutation) {
  expect_shape_error([] { transpose(counted({2, 3}), {0, 0}); }, {"transpose", "[2, 3]", "[0, 0]"});
}

TEST(Slice, CutsARangeOfOneAxis) {
  EXPECT_EQ(elements(slice(counted({2, 4}), 1, {1, 3})), (Numbers{1, 2, 5, 6}));
  EXPECT_EQ(elements(slice(counted({2, 4}), -2, {1, 2})), (Numbers{4, 5, 6, 7}));
}
TEST(Slice, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return slice(x[0], 1, {1, 3}); }, {random({2, 4})});
}
TEST(Slice, ErrorNamesTheRange) {
  expect_shape_error([] { slice(counted({2, 4}), 1, {2, 5}); }, {"slice", "[2, 4]", "2..5", "axis 1"});
  expect_shape_error([] { slice(counted({2, 4}), 2, {0, 1}); }, {"axis 2"});
}

TEST(Pad, AddsZeros) { EXPECT_EQ(elements(pad(counted({1, 2}), 1, 1, 2)), (Numbers{0, 0, 1, 0, 0})); }
TEST(Pad, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return pad(x[0], 0, 2, 1); }, {random({2, 3})});
}
TEST(Pad, RefusesNegativePadding) {
  expect_shape_error([] { pad(counted({2}), 0, -1, 0); }, {"pad", "[2]", "-1"});
}

TEST(Concatenate, JoinsAlongTheAxis) {
  EXPECT_EQ(elements(concatenate({counted({1, 2}), counted({1, 3})}, 1)), (Numbers{0, 1, 0, 1, 2}));
}
TEST(Concatenate, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return concatenate(x, 1); }, {random({2, 3}, 1), random({2, 5}, 2)});
}
TEST(Concatenate, ErrorNamesShapesAndAxis) {
  expect_shape_error([] { concatenate({counted({2, 3}), counted({4, 3})}, 1); }, {"[2, 3]", "[4, 3]", "axis 1"});
  expect_shape_error([] { concatenate({}, 0); }, {"at least one"});
}

TEST(ExpandDims, InsertsAnAxisOfSizeOne) {
  const Value x = full({DType::kFloat32, {2, 3}}, 0);
  EXPECT_EQ(expand_dims(x, 0).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(expand_dims(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(expand_dims(x, -3).shape(), (Shape{1, 2, 3}));
  expect_shape_error([&] { expand_dims(x, 3); }, {"expand_dims", "[2, 3]", "axis 3"});
}

}  // namespace portatune::test
