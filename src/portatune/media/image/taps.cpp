#include "portatune/media/image/taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace portatune::image {
namespace {

// A filter: its weight at a distance, and the distance from which the weight is 0. Values are doubles, with operations
// in Pillow's order, because the weights are rounded afterwards.
struct Kernel {
  double support;
  double (*weight)(double);
};

double box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

double hamming(double x) {
  x = std::abs(x);
  if (x == 0.0) return 1.0;
  if (x >= 1.0) return 0.0;
  x *= std::numbers::pi;
  return std::sin(x) / x * (0.54F + 0.46F * std::cos(x));  // these two constants are floats in Pillow
}

// Keys 1981, "Cubic convolution interpolation for digital image processing", with a = -1/2
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
  return 0.0;
}

double sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

Kernel kernel_of(Filter filter) {
  switch (filter) {
    case Filter::kBox:
      return {0.5, box};
    case Filter::kHamming:
      return {1.0, hamming};
    case Filter::kBicubic:
      return {2.0, cubic};
    case Filter::kLanczos:
      return {3.0, lanczos};
    case Filter::kBilinear:
    case Filter::kNearest:
      break;
  }
  return {1.0, triangle};
}

int32_t fixed_point(double weight) {
  return static_cast<int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << kWeightBits));
}

// The weights of source pixels from `begin` on; they sum to 1.
struct Window {
  int64_t begin;
  std::vector<double> weights;
};

Window window_around(double center, double stretch, const Kernel& kernel, int64_t source_size) {
  const double support = kernel.support * stretch;
  const int64_t begin = std::max<int64_t>(0, static_cast<int64_t>(center - support + 0.5));
  const int64_t end = std::min(source_size, static_cast<int64_t>(center + support + 0.5));
  const double shrink = 1.0 / stretch;
  Window window{begin, {}};
  double total = 0;
  for (int64_t x = 0; x < end - begin; ++x) {
    const double weight = kernel.weight((static_cast<double>(x + begin) - center + 0.5) * shrink);
    window.weights.push_back(weight);
    total += weight;
  }
  if (total != 0) {
    for (double& weight : window.weights) weight /= total;
  }
  return window;
}

}  // namespace

Taps make_taps(Filter filter, int64_t source_size, int64_t result_size) {
  const Kernel kernel = kernel_of(filter);
  const double scale = static_cast<double>(source_size) / static_cast<double>(result_size);
  const double stretch = std::max(scale, 1.0);  // a smaller image uses wider neighbourhoods
  std::vector<Window> windows;
  Taps taps;
  for (int64_t i = 0; i < result_size; ++i) {
    windows.push_back(window_around((static_cast<double>(i) + 0.5) * scale, stretch, kernel, source_size));
    taps.count = std::max(taps.count, static_cast<int64_t>(windows.back().weights.size()));
  }
  taps.weights.resize(static_cast<size_t>(taps.count * result_size));
  for (int64_t i = 0; i < result_size; ++i) {
    const auto& [begin, weights] = windows[static_cast<size_t>(i)];
    taps.first.push_back(std::min(begin, source_size - taps.count));
    std::ranges::transform(weights, taps.weights.begin() + i * taps.count + begin - taps.first.back(), fixed_point);
  }
  return taps;
}

}  // namespace portatune::image
