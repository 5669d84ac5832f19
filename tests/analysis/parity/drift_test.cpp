#include "portatune/analysis/parity/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "portatune/error.h"

namespace portatune::parity {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

ParameterState state(std::initializer_list<float> value, std::initializer_list<float> first_moment) {
  const Shape shape{static_cast<int64_t>(value.size())};
  return {Tensor(shape, value), Tensor(shape, first_moment)};
}

TEST(Drift, NumbersDifferRelativeToTheLargerOne) {
  EXPECT_DOUBLE_EQ(relative_difference(4, 5), 0.2);
  EXPECT_DOUBLE_EQ(relative_difference(-5, 4), 1.8);
  EXPECT_EQ(relative_difference(0, 0), 0);
  EXPECT_EQ(relative_difference(0, 1e-30), 1);
}

TEST(Drift, NonFiniteNumbersAreInfinitelyFarFromAny) {
  for (const double other : {0.0, 1.0, kInfinite, static_cast<double>(kNan)}) {
    EXPECT_EQ(relative_difference(kNan, other), kInfinite);
    EXPECT_EQ(relative_difference(other, kInfinite), kInfinite);
  }
}

TEST(Drift, GradientDistanceIsTheLargestOfTheElements) {
  const Distance d = distance(state({0, 0, 0}, {1, -8, 2}), state({0, 0, 0}, {1.5, -8.25, 2}));
  EXPECT_DOUBLE_EQ(d.gradient, 0.5);
  EXPECT_DOUBLE_EQ(d.largest_gradient, 8.25);
}

// The second element has no gradient in both runs, like rows of an embedding without a token in the batch.
TEST(Drift, ParameterDistanceIsTheMeanOverUpdatedElements) {
  EXPECT_DOUBLE_EQ(distance(state({1, 7, 3}, {1, 0, 1}), state({1.5, 7, 2}, {1, 0, 1})).parameter, 0.75);
  EXPECT_DOUBLE_EQ(distance(state({1, 7, 3}, {1, 0, 1}), state({1, 8, 3}, {1, 0, 1})).parameter, 1.0 / 3);
  EXPECT_DOUBLE_EQ(distance(state({1, 7, 3}, {1, 0, 1}), state({1, 7, 3.5}, {0, 0, 1})).parameter, 0.25);
  EXPECT_EQ(distance(state({1}, {0}), state({1}, {0})).parameter, 0);
}

// The second element's gradient is rounding; the third has none, and must not have moved.
TEST(Drift, ParameterDistanceIgnoresElementsWithNoise) {
  const ParameterState a = state({1, 5, 3}, {1, 1e-7f, 0});
  EXPECT_DOUBLE_EQ(distance(a, state({1.5, 9, 3}, {1, -1e-7f, 0}), 1e-5).parameter, 0.5);
  EXPECT_DOUBLE_EQ(distance(a, state({1.5, 9, 3}, {1, -1e-7f, 0}), 1e-8).parameter, 2.25);
  EXPECT_DOUBLE_EQ(distance(a, state({1.5, 9, 4}, {1, -1e-7f, 0}), 1e-5).parameter, 0.75);
  EXPECT_EQ(distance(a, state({1, kNan, 3}, {1, -1e-7f, 0}), 1e-5).parameter, kInfinite);
}

TEST(Drift, NonFiniteElementsAreInfinitelyFarApart) {
  const Distance d = distance(state({1, 2}, {3, 4}), state({1, kNan}, {kNan, 4}));
  EXPECT_EQ(d.gradient, kInfinite);
  EXPECT_EQ(d.parameter, kInfinite);
  EXPECT_EQ(d.largest_gradient, 4);
}

TEST(Drift, RejectsDifferentShapes) { EXPECT_THROW(distance(state({1}, {1}), state({1, 2}, {1, 2})), UsageError); }

}  // namespace
}  // namespace portatune::parity
