#include "portatune/graph/gradients.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

const TensorType kScalar{DType::kFloat32, {}};

Tensor number(float value) { return Tensor(Shape{}, {value}); }

// The single element of each result for these values of the parameters.
std::vector<double> numbers(const Values& results, const Values& parameters, const std::vector<float>& at) {
  std::vector<Tensor> inputs;
  for (const float value : at) inputs.push_back(number(value));
  std::vector<double> found;
  for (const Tensor& result : evaluate(results, parameters, inputs)) found.push_back(to_floats(result.view()).at(0));
  return found;
}

TEST(Gradients, SumOverAllUsesOfAValue) {
  const Value x = parameter("x", kScalar);
  const Value shared = x * x;
  const Value loss = shared * shared + shared * 3.0 + x;  // x^4 + 3 x^2 + x
  EXPECT_EQ(numbers(gradients(loss, Values{x}), {x}, {2}), (std::vector<double>{4 * 8 + 6 * 2 + 1}));
}

TEST(Gradients, AreZeroForAnUnusedParameter) {
  const Value x = parameter("x", kScalar), unused = parameter("unused", {DType::kFloat32, {2, 3}});
  const Values found = gradients(x * x, Values{unused, x});
  EXPECT_EQ(found[0].type(), unused.type());
  EXPECT_EQ(elements(found[0]), std::vector<double>(6, 0));
  EXPECT_EQ(numbers({found[1]}, {x}, {3}), std::vector<double>{6});
}

TEST(Gradients, OfAnIntermediateAndItsSourceAreBothComplete) {
  const Value x = parameter("x", kScalar);
  const Value y = x * x;
  const Values found = gradients(y * y, Values{y, x});  // 2 y and 4 x^3
  EXPECT_EQ(numbers(found, {x}, {3}), (std::vector<double>{18, 108}));
}

TEST(Gradients, OfTheLossItselfIsOne) {
  const Value x = parameter("x", kScalar);
  const Value loss = x * 5.0;
  EXPECT_EQ(numbers(gradients(loss, Values{loss, x}), {x}, {3}), (std::vector<double>{1, 5}));
}

TEST(Gradients, AreReturnedTwiceForARepeatedValue) {
  const Value x = parameter("x", kScalar);
  EXPECT_EQ(numbers(gradients(x * x, Values{x, x}), {x}, {3}), (std::vector<double>{6, 6}));
}

TEST(Gradients, StopAtStopGradient) {
  const Value x = parameter("x", kScalar);
  const Values found = gradients(stop_gradient(x * x) * x, Values{x});  // x^2 as a constant
  EXPECT_EQ(numbers(found, {x}, {3}), std::vector<double>{9});
  EXPECT_EQ(numbers(gradients(stop_gradient(x), Values{x}), {x}, {3}), std::vector<double>{0});
}

TEST(Gradients, DoNotFlowThroughIntegersAndComparisons) {
  const Value x = parameter("x", kScalar);
  const Value is_large = compare(Direction::kGreater, x, full(kScalar, 1));
  const Value loss = select(is_large, x * 2.0, x) + convert(convert(x, DType::kInt32), DType::kFloat32);
  EXPECT_EQ(numbers(gradients(loss, Values{x}), {x}, {3}), std::vector<double>{2});
}

TEST(Gradients, OfGradientsAreSecondDerivatives) {
  const Value x = parameter("x", kScalar);
  const Value dx = gradients(x * x * x, Values{x})[0];
  EXPECT_EQ(numbers(gradients(dx, Values{x}), {x}, {5}), std::vector<double>{30});
}

TEST(Gradients, NeedAScalarLoss) {
  const Value x = parameter("x", {DType::kFloat32, {2}}), n = parameter("n", {DType::kInt32, {}});
  expect_shape_error([&] { gradients(x, Values{x}); }, {"gradients", "float32[2]", "a float scalar"});
  expect_shape_error([&] { gradients(n, Values{n}); }, {"int32[]", "a float scalar"});
}

// ---- gradients of a part of a graph

TEST(Backpropagate, TreatsWrtAsInputsWithStop) {
  const Value x = parameter("x", kScalar);
  const Value y = x * x;
  const Value z = y * x;
  const Values dresults{full(kScalar, 1)};
  const Values stopped = backpropagate(Values{z}, dresults, Values{x, y}, AtWrt::kStop);
  EXPECT_EQ(numbers(stopped, {x}, {3}), (std::vector<double>{9, 3}));  // y does not count for x
  const Values continued = backpropagate(Values{z}, dresults, Values{x, y}, AtWrt::kContinue);
  EXPECT_EQ(numbers(continued, {x}, {3}), (std::vector<double>{27, 3}));
}

TEST(Backpropagate, IsAbsentWithoutAGradient) {
  const Value x = parameter("x", kScalar), y = parameter("y", kScalar);
  const Values found =
      backpropagate(Values{x * 2.0, y * 2.0}, Values{full(kScalar, 1), Value()}, Values{x, y}, AtWrt::kStop);
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
}

}  // namespace
}  // namespace portatune::test
