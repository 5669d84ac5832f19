#include "portatune/analysis/report/curve.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace portatune::report {
namespace {

std::span<const Point> range_of(const Curve& curve, size_t range, size_t ranges) {
  const size_t begin = curve.size() * range / ranges, end = curve.size() * (range + 1) / ranges;
  return std::span(curve).subspan(begin, end - begin);
}

bool is_finite(const Point& point) { return std::isfinite(point.value); }

}  // namespace

Curve thinned(const Curve& curve, size_t max_points) {
  if (curve.size() <= max_points) return curve;
  std::set<const Point*> kept = {&curve.front(), &curve.back()};
  const size_t ranges = (max_points - kept.size()) / 3;  // three points of each
  for (size_t i = 0; i < ranges; ++i) {
    const Point *lowest = nullptr, *highest = nullptr, *non_finite = nullptr;
    for (const Point& point : range_of(curve, i, ranges)) {
      if (!is_finite(point)) {
        if (non_finite == nullptr) non_finite = &point;
        continue;
      }
      if (lowest == nullptr || point.value < lowest->value) lowest = &point;
      if (highest == nullptr || point.value > highest->value) highest = &point;
    }
    kept.insert({lowest, highest, non_finite});
  }
  kept.erase(nullptr);
  Curve result;
  for (const Point* point : kept) result.push_back(*point);  // in the order of their addresses
  return result;
}

Curve means(const Curve& curve, size_t ranges) {
  Curve result;
  for (size_t i = 0; i < ranges; ++i) {
    const std::span<const Point> range = range_of(curve, i, ranges);
    const auto count = std::ranges::count_if(range, is_finite);
    if (count == 0) continue;
    double sum = 0;
    for (const Point& point : range) sum += is_finite(point) ? point.value : 0;
    result.push_back({range[range.size() / 2].step, sum / static_cast<double>(count)});
  }
  return result;
}

}  // namespace portatune::report
