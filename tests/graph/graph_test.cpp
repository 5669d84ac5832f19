#include "portatune/graph.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

constexpr int kDeep = 200'000;  // nodes; recursive destructors would overflow the stack

TensorType scalar() { return {DType::kFloat32, {}}; }

TEST(Graph, ParameterHasItsType) {
  const Value x = parameter("x", {DType::kBFloat16, {2, 3}});
  EXPECT_EQ(x.type(), (TensorType{DType::kBFloat16, {2, 3}}));
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.node().op().name(), "x");
  EXPECT_TRUE(x.node().inputs().empty());
}

TEST(Graph, ValuesOfOneNodeAndResultAreEqual) {
  const Value x = parameter("x", scalar()), same = x, other = parameter("x", scalar());
  EXPECT_EQ(x, same);
  EXPECT_NE(x, other);
  EXPECT_FALSE(Value());
  EXPECT_TRUE(x);
}

TEST(Graph, ValueKeepsItsInputsAlive) {
  Value y;
  {
    const Value x = full(scalar(), 2);
    y = x * x + 1.0;
  }
  EXPECT_EQ(elements(y), std::vector<double>{5});
}

TEST(Graph, LongChainIsDestroyedWithoutRecursion) {
  Value y = parameter("x", scalar());
  for (int i = 0; i < kDeep; ++i) y = neg(y);
}

TEST(Graph, ForkedLongChainIsDestroyedWithoutRecursion) {
  Value y = parameter("x", scalar());
  for (int i = 0; i < kDeep / 2; ++i) y = neg(y) + y;
}

TEST(Graph, PartOfALongChainOutlivesTheRest) {
  Value y = full(scalar(), 3), kept;
  for (int i = 0; i < kDeep; ++i) {
    y = neg(y);
    if (i == 1) kept = y;
  }
  y = Value();
  EXPECT_EQ(elements(kept), std::vector<double>{3});
}

TEST(Graph, LongChainIsDifferentiatedAndLowered) {
  const Value x = parameter("x", scalar());
  Value y = x;
  for (int i = 0; i < kDeep; ++i) y = neg(y);
  const Values dx = gradients(y, Values{x});
  const std::string text = to_stablehlo({.parameters = {x}, .results = {y, dx[0]}}, {});
  size_t negations = 0;
  for (size_t at = text.find("stablehlo.negate"); at != std::string::npos; at = text.find("stablehlo.negate", at + 1)) {
    ++negations;
  }
  EXPECT_EQ(negations, 2u * kDeep);
}

}  // namespace
}  // namespace portatune::test
