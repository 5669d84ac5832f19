// Random arrays of both element types, threads, and tolerances for the kernels' tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// Three threads besides the caller on every machine.
class TestWorkers final : public Workers {
 public:
  int threads() const override { return 4; }
  void submit(std::function<void()> task) const override { pool_.submit(std::move(task)); }

 private:
  mutable ThreadPool pool_{3};
};

/// Numbers from the standard normal distribution, rounded to T.
template <class T>
std::vector<T> random_array(int64_t size, uint32_t seed, float scale = 1) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<T> values(static_cast<size_t>(size));
  for (T& value : values) value = from_float<T>(normal(bits));
  return values;
}

template <class T>
std::vector<double> to_doubles(const std::vector<T>& values) {
  std::vector<double> doubles;
  for (const T& value : values) doubles.push_back(to_float(value));
  return doubles;
}

/// Largest relative error of rounding to T.
template <class T>
constexpr double kRounding = 0x1p-24;
template <>
inline constexpr double kRounding<Bfloat16> = 0x1p-8;

/// Expects every element to differ from the expected one by at most `relative` times the largest expected magnitude,
/// plus the rounding error of T.
template <class T>
void expect_close(const std::vector<T>& given, const std::vector<double>& expected, double relative) {
  ASSERT_EQ(given.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < expected.size(); ++i) {
    const double tolerance = relative * largest + kRounding<T> * std::abs(expected[i]);
    ASSERT_NEAR(to_float(given[i]), expected[i], tolerance) << "element " << i;
  }
}

/// Central differences of `loss` for every element of `at`.
template <class Loss>
std::vector<double> differences(std::vector<double> at, Loss loss) {
  constexpr double kStep = 1e-5;
  std::vector<double> gradient;
  for (double& element : at) {
    const double before = element;
    element = before + kStep;
    const double above = loss(at);
    element = before - kStep;
    const double below = loss(at);
    element = before;
    gradient.push_back((above - below) / (2 * kStep));
  }
  return gradient;
}

}  // namespace portatune::kernels
