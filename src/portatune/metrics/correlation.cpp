// Correlations of predictions and targets.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "portatune/metrics.h"
#include "portatune/metrics/objections.h"

namespace portatune::metrics {
namespace {

struct Point {
  double weight, x, y;
};

// Returns whether all points have the same x or y. The sums below are rounded, and would show a deviation.
bool is_constant(const std::vector<Point>& points, double Point::*axis) {
  return std::ranges::all_of(points, [&](const Point& p) { return p.*axis == points.front().*axis; });
}

// Pearson's correlation in two passes, means first, to avoid cancellation.
std::optional<double> correlation(const std::vector<Point>& points) {
  double weight = 0, x = 0, y = 0;
  for (const Point& p : points) {
    weight += p.weight;
    x += p.weight * p.x;
    y += p.weight * p.y;
  }
  if (weight == 0 || is_constant(points, &Point::x) || is_constant(points, &Point::y)) return std::nullopt;
  x /= weight;
  y /= weight;
  double xx = 0, xy = 0, yy = 0;
  for (const Point& p : points) {
    xx += p.weight * (p.x - x) * (p.x - x);
    xy += p.weight * (p.x - x) * (p.y - y);
    yy += p.weight * (p.y - y) * (p.y - y);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

// Ranks of the values; equal values share the mean of their ranks.
std::vector<double> ranks(const std::vector<float>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end - 1) / 2;
    for (size_t i = begin; i < end; ++i) result[order[i]] = shared;
  }
  return result;
}

}  // namespace

const char* PairedMetric::objection(float prediction, float target) const {
  return objection_to_numbers(prediction, target);
}

std::optional<double> PearsonCorrelation::result() const {
  std::vector<Point> points;
  for (const Example& e : examples_) points.push_back({e.weight, e.prediction, e.target});
  return correlation(points);
}

std::optional<double> SpearmanCorrelation::result() const {
  std::vector<float> predictions, targets;
  for (const Example& e : examples_) {
    predictions.push_back(e.prediction);
    targets.push_back(e.target);
  }
  const std::vector<double> x = ranks(predictions), y = ranks(targets);
  std::vector<Point> points;
  for (size_t i = 0; i < x.size(); ++i) points.push_back({1, x[i], y[i]});
  return correlation(points);
}

}  // namespace portatune::metrics
