#include "portatune/analysis/report/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace portatune::report {

static bool operator==(const Point& a, const Point& b) {
  return a.step == b.step && (a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)));
}

namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A slow wave, one point for each step from 1.
Curve wave(int64_t steps) {
  Curve curve;
  for (int64_t step = 1; step <= steps; ++step) curve.push_back({step, std::sin(static_cast<double>(step) / 500)});
  return curve;
}

TEST(Curve, OfFewPointsIsNotThinned) {
  const Curve curve = wave(100);
  EXPECT_EQ(thinned(curve, 100), curve);
}

TEST(Curve, ThinnedHasAtMostTheGivenPointsInTheOrderOfTheirSteps) {
  const Curve thin = thinned(wave(10'000), 200);
  EXPECT_LE(thin.size(), 200);
  EXPECT_GE(thin.size(), 100);
  EXPECT_TRUE(std::ranges::is_sorted(thin, {}, &Point::step));
}

TEST(Curve, ThinnedKeepsEndsSpikesAndNonFiniteValues) {
  Curve curve = wave(10'000);
  curve[1234].value = 7;
  curve[5678].value = -7;
  curve[9001].value = kNan;
  const Curve thin = thinned(curve, 200);
  for (const size_t i : {0, 1234, 5678, 9001, 9999}) EXPECT_THAT(thin, Contains(curve[i])) << i;
}

TEST(Curve, MeansAreThoseOfRangesAtTheirMiddleWithoutNonFiniteValues) {
  const Curve curve = {{10, 1}, {20, 2}, {30, 6}, {40, kNan}, {50, 5}, {60, 7}};
  EXPECT_THAT(means(curve, 2), ElementsAre(Point{20, 3}, Point{50, 6}));
}

TEST(Curve, ARangeWithoutFiniteValuesHasNoMean) {
  EXPECT_THAT(means({{1, kNan}, {2, kNan}, {3, 4}, {4, 4}}, 2), ElementsAre(Point{4, 4}));
}

}  // namespace
}  // namespace portatune::report
