#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

Value three_rows() { return constant(Tensor({3, 2}, {0.0, 1.0, 10.0, 11.0, 20.0, 21.0})); }
Value ids(std::initializer_list<int32_t> values) {
  return constant(Tensor({static_cast<int64_t>(values.size())}, values));
}

}  // namespace

TEST(GatherRows, PicksRowsAndClampsIds) {
  EXPECT_EQ(elements(gather_rows(three_rows(), ids({2, 0}))), (Numbers{20, 21, 0, 1}));
  EXPECT_EQ(elements(gather_rows(three_rows(), ids({-5, 7}))), (Numbers{0, 1, 20, 21}));
  EXPECT_EQ(gather_rows(three_rows(), reshape(ids({0, 1, 2, 1}), {2, 2})).shape(), (Shape{2, 2, 2}));
}

TEST(GatherRows, SliceGathersOnlyItsRows) {
  const Value rows = gather_rows(three_rows(), reshape(ids({0, 1, 2, 1}), {2, 2}));
  const Value first = slice(rows, 1, {0, 1});
  EXPECT_EQ(first.node().op().name(), "gather_rows");
  EXPECT_EQ(first.shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(elements(first), (Numbers{0, 1, 20, 21}));
  EXPECT_EQ(elements(slice(rows, 2, {1, 2})), (Numbers{1, 11, 21, 11}));
}

// Eight gradients that would be lost in a bfloat16 sum of 256.
TEST(GatherRows, GradientIsSummedInFloat32) {
  const Value x = parameter("x", {DType::kBFloat16, {1, 1}});
  const Value weights = constant(Tensor({9}, {256.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f}));
  const Value picked = gather_rows(x, ids({0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Value y = sum(picked * convert(reshape(weights, {9, 1}), DType::kBFloat16));
  const Value dx = convert(gradients(y, {&x, 1})[0], DType::kFloat32);
  EXPECT_EQ(evaluate({dx}, {x}, {Tensor(TensorType{DType::kBFloat16, {1, 1}})})[0].as<float>()[0], 264);
}

TEST(GatherRows, GradientMatchesFiniteDifferences) {
  check_gradient(
      [](const Values& x) {
        return gather_rows(x[0], reshape(ids({2, 0, 2, 1}), {2, 2}));
      },
      {random({4, 3})});
}

TEST(GatherRows, ErrorNamesTheOperands) {
  expect_shape_error([] { gather_rows(ids({1, 2}), ids({1})); }, {"gather_rows", "int32[2]", "table [rows, width]"});
  expect_shape_error([] { gather_rows(three_rows(), three_rows()); }, {"ids of an integer type"});
}

TEST(ScatterAddRows, SumsRepeatedIdsAndIgnoresIdsOutOfRange) {
  const Value updates = constant(Tensor({4, 1}, {1.0, 2.0, 4.0, 8.0}));
  EXPECT_EQ(elements(scatter_add_rows(ids({1, 0, 1, 9}), updates, 3)), (Numbers{2, 5, 0}));
}

TEST(ScatterAddRows, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return scatter_add_rows(ids({1, 0, 1, 9}), x[0], 3); }, {random({4, 2})});
}

TEST(ScatterAddRows, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        scatter_add_rows(ids({1, 2}), constant(random({3, 2})), 4);
      },
      {"scatter_add_rows", "int32[2]", "[3, 2]"});
}

TEST(ScatterAddRows, KernelAgreesWithItsDecomposition) {
  Tensor where({DType::kInt32, {37}});
  for (int32_t i = 0; i < 37; ++i) where.as<int32_t>()[static_cast<size_t>(i)] = (i * i) % 13 - 1;
  check_kernel(
      {"portatune.embedding_grad"}, [&](const Values& x) { return scatter_add_rows(constant(where), x[0], 11); },
      {random(TensorType{DType::kFloat32, {37, 33}})}, 1e-6);
}

}  // namespace portatune::test
