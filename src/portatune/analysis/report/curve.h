// A number over the steps of a run, with few enough points to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace portatune::report {

struct Point {
  int64_t step = 0;
  double value = 0;  ///< NaN for a number that was not finite.
};

/// Points in the order of their steps.
using Curve = std::vector<Point>;

/// A curve that looks the same with at most `max_points` points. Keeps the first and the last point, and the lowest,
/// the highest and the first non-finite value of each range of steps, so that every spike stays visible.
/// max_points  at least 5
Curve thinned(const Curve& curve, size_t max_points);

/// The mean of the finite values of each of `ranges` ranges with equally many points, at the middle of the range.
Curve means(const Curve& curve, size_t ranges);

}  // namespace portatune::report
