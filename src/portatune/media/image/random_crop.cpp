#include "portatune/media/image/random_crop.h"

#include <algorithm>
#include <cmath>

namespace portatune::image {
namespace {

constexpr double kMinArea = 0.08, kMinRatio = 3.0 / 4, kMaxRatio = 4.0 / 3;

int64_t rounded(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

// The largest part in the middle whose sides have an allowed ratio.
Part middle(Size image) {
  const auto [height, width] = image;
  Size size = image;
  const double shape = static_cast<double>(width) / static_cast<double>(height);
  if (shape < kMinRatio) size.height = std::clamp<int64_t>(rounded(static_cast<double>(width) / kMinRatio), 1, height);
  if (shape > kMaxRatio) size.width = std::clamp<int64_t>(rounded(static_cast<double>(height) * kMaxRatio), 1, width);
  return {(height - size.height) / 2, (width - size.width) / 2, size};
}

}  // namespace

Part random_crop(Size image, Draws& draws) {
  const double area = static_cast<double>(image.height) * static_cast<double>(image.width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double wanted = area * draws.between(kMinArea, 1);
    const double shape = std::exp(draws.between(std::log(kMinRatio), std::log(kMaxRatio)));
    const Size size = {rounded(std::sqrt(wanted / shape)), rounded(std::sqrt(wanted * shape))};
    if (size.height < 1 || size.width < 1 || size.height > image.height || size.width > image.width) continue;
    const int64_t top = draws.below(image.height - size.height + 1);
    return {top, draws.below(image.width - size.width + 1), size};
  }
  return middle(image);
}

Part scaled(const Part& part, Size from, Size to) {
  if (from == to) return part;
  const double down = static_cast<double>(to.height) / static_cast<double>(from.height);
  const double across = static_cast<double>(to.width) / static_cast<double>(from.width);
  const auto scaled_edge = [](int64_t begin, double scale, int64_t end) {
    return std::clamp<int64_t>(rounded(static_cast<double>(begin) * scale), 0, end);
  };
  const int64_t top = scaled_edge(part.top, down, to.height - 1), left = scaled_edge(part.left, across, to.width - 1);
  const int64_t bottom = scaled_edge(part.top + part.size.height, down, to.height);
  const int64_t right = scaled_edge(part.left + part.size.width, across, to.width);
  return {top, left, {std::max<int64_t>(1, bottom - top), std::max<int64_t>(1, right - left)}};
}

}  // namespace portatune::image
