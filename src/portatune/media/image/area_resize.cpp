#include "portatune/media/image/area_resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace portatune::image {
namespace {

// The pixels of a line that one pixel of the result covers, and how much of each.
struct Cover {
  int64_t first;
  std::vector<float> parts;
};

// TensorFlow's numbers, computed in float32 as there.
std::vector<Cover> covers_of(int64_t from, int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  std::vector<Cover> covers;
  for (int64_t i = 0; i < to; ++i) {
    const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    Cover cover{.first = static_cast<int64_t>(std::floor(begin)), .parts = {}};
    const int64_t last = std::min(static_cast<int64_t>(std::ceil(end)), from);
    for (int64_t pixel = cover.first; pixel < last; ++pixel) {
      const auto left = static_cast<float>(pixel), right = static_cast<float>(pixel + 1);
      const bool ends_within = right > end;
      if (left < begin) {
        cover.parts.push_back(ends_within ? scale : right - begin);
      } else {
        cover.parts.push_back(ends_within ? end - left : 1);
      }
    }
    covers.push_back(std::move(cover));
  }
  return covers;
}

using Sums = std::array<float, 3>;

// The sums of the colours of a row's part.
Sums sums_of_part(const uint8_t* row, const Cover& cover) {
  Sums sums = {};
  for (size_t i = 0; i < cover.parts.size(); ++i) {
    const uint8_t* pixel = row + 3 * (cover.first + static_cast<int64_t>(i));
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += static_cast<float>(pixel[c]) * cover.parts[i];
  }
  return sums;
}

}  // namespace

Image area_resize(const View& image, Size size) {
  const std::vector<Cover> down = covers_of(image.size.height, size.height);
  const std::vector<Cover> across = covers_of(image.size.width, size.width);
  const auto [height, width] = image.size;
  const float pixels_of_one = (static_cast<float>(height) / static_cast<float>(size.height)) *
                              (static_cast<float>(width) / static_cast<float>(size.width));
  Image result(size);
  for (int64_t y = 0; y < size.height; ++y) {
    const Cover& rows = down[static_cast<size_t>(y)];
    uint8_t* out = result.row(y);
    for (const Cover& columns : across) {
      Sums total = {};
      for (size_t i = 0; i < rows.parts.size(); ++i) {
        const Sums sums = sums_of_part(image.row(rows.first + static_cast<int64_t>(i)), columns);
        for (size_t c = 0; c < total.size(); ++c) total[c] += sums[c] * rows.parts[i];
      }
      for (const float sum : total) *out++ = static_cast<uint8_t>(std::nearbyint(sum * (1 / pixels_of_one)));
    }
  }
  return result;
}

}  // namespace portatune::image
