#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "graph/ops/composites.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

Value sample() { return constant(Tensor({2, 3}, {1.0, 5.0, 2.0, -1.0, -4.0, -1.0})); }

}  // namespace

TEST(Reduce, ComputesSumMaximumAndMean) {
  EXPECT_EQ(elements(sum(sample(), {1})), (Numbers{8, -6}));
  EXPECT_EQ(elements(sum(sample(), {0})), (Numbers{0, 1, 1}));
  EXPECT_EQ(elements(sum(sample())), (Numbers{2}));
  EXPECT_EQ(elements(max(sample(), {-1})), (Numbers{5, -1}));
  EXPECT_EQ(elements(mean(sample(), {1})), (Numbers{8.0 / 3, -2}));
}

TEST(Reduce, KeepsReducedAxesOnRequest) {
  EXPECT_EQ(sum(sample(), {1}, ReducedAxes::kKeep).shape(), (Shape{2, 1}));
  EXPECT_EQ(max(sample(), {0, 1}, ReducedAxes::kKeep).shape(), (Shape{1, 1}));
}

TEST(Reduce, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return sum(x[0], {0, 2}); }, {random({2, 3, 4})});
  check_gradient([](const Values& x) { return max(x[0], {1}, ReducedAxes::kKeep); }, {random({2, 5})});
  check_gradient([](const Values& x) { return mean(x[0], {0}); }, {random({4, 2})});
}

TEST(Reduce, KernelForColumnsAgreesWithItsDecomposition) {
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0}, {0, 1}}) {
    const auto columns = [&](const Values& x) { return sum(x[0], axes); };
    check_kernel({"portatune.column_sums"}, columns, {f32({5, 130, 7})}, 1e-5);
    check_kernel({"portatune.column_sums"}, in_bf16(columns), {f32({5, 130, 7})}, 1e-2);
  }
}

// The result is rounded only once, at the end.
TEST(Reduce, SumsSixteenBitTypesInFloat32) {
  for (const auto& [dtype, rounding] : {std::pair(DType::kBFloat16, 0x1p-8), {DType::kFloat16, 0x1p-11}}) {
    const Tensor rounded = evaluate({convert(constant(f32({650, 7})), dtype)}).front();
    std::vector<double> wanted(7);
    const std::vector<float> elements = to_floats(rounded.view());
    for (size_t i = 0; i < elements.size(); ++i) wanted[i % 7] += elements[i];
    const Value x = parameter("x", rounded.type());
    for (const Device* device : {&decompositions(), &kernels()}) {
      const std::vector<float> found = to_floats(evaluate({sum(x, {0})}, {x}, {rounded}, *device)[0].view());
      for (size_t i = 0; i < 7; ++i) EXPECT_NEAR(found[i], wanted[i], rounding * std::abs(wanted[i]) + 1e-5);
    }
  }
}

TEST(Reduce, EqualMaximaShareTheGradient) {
  const Value x = parameter("x", {DType::kFloat64, {3}});
  const auto gradient = evaluate(gradients(sum(max(x, {0})), {&x, 1}), {x}, {Tensor({3}, {2.0, 1.0, 2.0})});
  EXPECT_EQ(gradient[0].as<double>()[0], 0.5);
  EXPECT_EQ(gradient[0].as<double>()[1], 0);
}

TEST(Reduce, ErrorNamesTheAxis) {
  expect_shape_error([] { sum(sample(), {2}); }, {"sum", "[2, 3]", "axis 2"});
  expect_shape_error([] { sum(sample(), {1, -1}); }, {"every axis at most once"});
}

TEST(Reduce, MaximumOfIntegers) {
  EXPECT_EQ(elements(max(constant(Tensor({3}, {int32_t{-7}, int32_t{-2}, int32_t{-5}})), {0})), (Numbers{-2}));
  EXPECT_EQ(elements(max(constant(Tensor({2}, {uint32_t{3}, uint32_t{0xFFFFFFFF}})), {0})), (Numbers{4294967295}));
}

TEST(Argmax, ReturnsTheFirstMaximum) {
  const Value x = constant(Tensor({2, 3}, {1.0, 5.0, 5.0, -1.0, -4.0, -1.0}));
  EXPECT_EQ(elements(argmax(x, -1)), (Numbers{1, 0}));
  EXPECT_EQ(elements(argmax(x, 0)), (Numbers{0, 0, 0}));
  EXPECT_EQ(argmax(x, 0).dtype(), DType::kInt32);
}

TEST(Argmax, StaysInRangeWithNaNs) {
  EXPECT_EQ(elements(argmax(constant(Tensor({1, 2}, {std::nan(""), 1.0})), 1)), (Numbers{1}));
}

TEST(CumulativeSum, SumsAlongTheLastAxis) {
  EXPECT_EQ(elements(cumulative_sum(constant(Tensor({2, 3}, {1.f, 2.f, 3.f, -1.f, 0.f, 5.f})))),
            (Numbers{1, 3, 6, -1, -1, 4}));
  const Value ints = cumulative_sum(constant(Tensor({3}, {int32_t{1 << 22}, int32_t{1}, int32_t{2}})));
  EXPECT_EQ(ints.dtype(), DType::kInt32);
  EXPECT_EQ(elements(ints), (Numbers{4194304, 4194305, 4194307}));
}

TEST(TopK, ReturnsTheLargestInFallingOrder) {
  const TopK best = top_k(constant(Tensor({2, 4}, {3.f, 9.f, -1.f, 4.f, 0.f, 0.f, 7.f, 1.f})), 2);
  EXPECT_EQ(elements(best.values), (Numbers{9, 4, 7, 1}));
  EXPECT_EQ(elements(best.indices), (Numbers{1, 3, 2, 3}));
}
TEST(TopK, ErrorNamesKAndTheShape) {
  expect_shape_error([] { top_k(sample(), 4); }, {"top_k", "[2, 3]", "k 4"});
}

TEST(Relu, IsZeroBelowZeroAndHasNoSlopeThere) {
  const Value x = parameter("x", {DType::kFloat64, {4}});
  const std::vector<Tensor> at{Tensor({4}, {-2.0, 0.0, 3.0, std::nan("")})};
  const auto y = evaluate({relu(x)}, {x}, at).front();
  EXPECT_EQ(y.as<double>()[0], 0);
  EXPECT_EQ(y.as<double>()[2], 3);
  EXPECT_TRUE(std::isnan(y.as<double>()[3]));
  const auto slope = evaluate(gradients(sum(relu(x)), {&x, 1}), {x}, at).front();
  EXPECT_EQ(slope.as<double>()[0], 0);
  EXPECT_EQ(slope.as<double>()[1], 0);  // as in torch.nn.functional.relu
  EXPECT_EQ(slope.as<double>()[2], 1);
}

TEST(Softmax, SumsToOneAndHandlesLargeNumbers) {
  const Value x = constant(Tensor({1, 3}, {1000.0, 1000.0, 0.0}));
  EXPECT_EQ(elements(softmax(x, 1)), (Numbers{0.5, 0.5, 0}));
  EXPECT_NEAR(elements(log_softmax(x, 1))[0], -0.6931471805599453, 1e-12);
}

TEST(Softmax, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return softmax(x[0], 1); }, {random({2, 5})});
  check_gradient([](const Values& x) { return log_softmax(x[0], 0); }, {random({3, 2})});
}

}  // namespace portatune::test
