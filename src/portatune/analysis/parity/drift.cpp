#include "portatune/analysis/parity/drift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "portatune/error.h"

namespace portatune::parity {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Turns NaN into infinity, which comparisons do not lose.
double finite_or_infinite(double x) { return std::isfinite(x) ? x : kInfinite; }

double difference(float a, float b) { return finite_or_infinite(std::abs(static_cast<double>(a) - b)); }

double magnitude(float x) { return std::isfinite(x) ? std::abs(static_cast<double>(x)) : 0; }

}  // namespace

double relative_difference(double a, double b) {
  const double difference = finite_or_infinite(std::abs(a - b));
  return difference == 0 ? 0 : finite_or_infinite(difference / std::max(std::abs(a), std::abs(b)));
}

Distance distance(const ParameterState& a, const ParameterState& b, double noise) {
  if (a.value.type() != b.value.type()) {
    throw UsageError({.where = "two runs",
                      .given = "a parameter " + to_string(a.value.type()) + " and " + to_string(b.value.type()),
                      .expected = "the same type in both"});
  }
  const auto values_a = a.value.as<float>(), values_b = b.value.as<float>();
  const auto moments_a = a.first_moment.as<float>(), moments_b = b.first_moment.as<float>();
  const auto larger = [&](size_t i) { return std::max(magnitude(moments_a[i]), magnitude(moments_b[i])); };
  Distance distance;
  for (size_t i = 0; i < values_a.size(); ++i) {
    distance.gradient = std::max(distance.gradient, difference(moments_a[i], moments_b[i]));
    distance.largest_gradient = std::max(distance.largest_gradient, larger(i));
  }
  double sum = 0, updated = 0;
  for (size_t i = 0; i < values_a.size(); ++i) {
    const double apart = difference(values_a[i], values_b[i]);
    // Most rows of an embedding belong to no token of the batches.
    if (moments_a[i] == 0 && moments_b[i] == 0 && apart == 0) continue;
    const double gradient = larger(i);
    if (gradient > 0 && gradient < noise * distance.largest_gradient && std::isfinite(apart)) continue;
    sum += apart;
    ++updated;
  }
  if (updated > 0) distance.parameter = sum / updated;
  return distance;
}

// Tolerances from the measurements in docs/results/parity.md. `rounding` has an estimate, too: The largest gradient of
// a model is a sum over n tokens, so its terms are about 1 / sqrt(n) of it. The error of a sum of n such terms that
// cancel is sqrt(n) roundings of a term: one rounding of the largest gradient. float32 gets 64 times as much, as it is
// accurate enough, and the terms of the bias of a multiple-choice head, whose sum is zero, are larger than the largest
// gradient; bfloat16 rounds only the terms, and its sums are in float32.
DriftTolerance drift_tolerance(DType dtype) {
  if (dtype == DType::kFloat32) {
    constexpr double kRounding = 0x1p-24;
    return {.loss = 1e-5,
            .grad_norm = 1e-4,
            .gradient = 1e-3,
            .parameter = 1e-3,
            .rounding = 64 * kRounding,
            .small = 1e-5};
  }
  constexpr double kRounding = 0x1p-8;
  return {.loss = 1e-2, .grad_norm = 5e-2, .gradient = 0.2, .parameter = 0.2, .rounding = kRounding, .small = 5e-3};
}

}  // namespace portatune::parity
