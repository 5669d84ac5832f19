// Resizing as in Pillow: one pass along the rows and one along the columns, with bytes in between.
#include <algorithm>
#include <array>
#include <vector>

#include "portatune/error.h"
#include "portatune/media/image/row_resizer.h"
#include "portatune/media/image/taps.h"

namespace portatune::image {
namespace {

constexpr int32_t kHalf = 1 << (kWeightBits - 1);

uint8_t to_byte(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255)); }

// Makes one row of the result from `count` rows of the source. Blocks have a fixed size, so that their sums stay in
// registers; the last block reads and writes beyond the row.
void mix_rows(const uint8_t* source, int64_t row_bytes, const int32_t* weights, int64_t count, int64_t bytes,
              uint8_t* result) {
  constexpr int64_t kBlock = kSlack;
  for (int64_t begin = 0; begin < bytes; begin += kBlock) {
    std::array<int32_t, kBlock> sums;
    sums.fill(kHalf);
    const uint8_t* row = source + begin;
    for (int64_t tap = 0; tap < count; ++tap, row += row_bytes) {
      for (size_t x = 0; x < kBlock; ++x) sums[x] += row[x] * weights[tap];
    }
    for (size_t x = 0; x < kBlock; ++x) result[begin + static_cast<int64_t>(x)] = to_byte(sums[x]);
  }
}

Image resize_width(const View& image, int64_t width, Filter filter) {
  RowResizer resize_row(filter, image.size.width, width);
  Image result({image.size.height, width});
  for (int64_t y = 0; y < image.size.height; ++y) resize_row(image.row(y), result.row(y));
  return result;
}

Image resize_height(const View& image, int64_t height, Filter filter) {
  const Taps taps = make_taps(filter, image.size.height, height);
  Image result({height, image.size.width});
  for (int64_t y = 0; y < height; ++y) {
    mix_rows(image.row(taps.first[static_cast<size_t>(y)]), image.row_bytes, taps.weights_of(y), taps.count,
             3 * image.size.width, result.row(y));
  }
  return result;
}

// The source pixel of each pixel of the result. The loop adds up the steps, as Pillow does, because rounding matters.
std::vector<int64_t> nearest_pixels(int64_t source_size, int64_t result_size) {
  const double step = static_cast<double>(source_size) / static_cast<double>(result_size);
  std::vector<int64_t> pixels;
  double position = step * 0.5;
  for (int64_t i = 0; i < result_size; ++i, position += step) {
    pixels.push_back(std::min(static_cast<int64_t>(position), source_size - 1));
  }
  return pixels;
}

Image resize_nearest(const View& image, Size size) {
  const std::vector<int64_t> rows = nearest_pixels(image.size.height, size.height);
  const std::vector<int64_t> columns = nearest_pixels(image.size.width, size.width);
  Image result(size);
  for (int64_t y = 0; y < size.height; ++y) {
    const uint8_t* from = image.row(rows[static_cast<size_t>(y)]);
    uint8_t* to = result.row(y);
    for (const int64_t column : columns) to = std::copy_n(from + 3 * column, 3, to);
  }
  return result;
}

// The order of the passes decides how bytes in between are rounded. This is the rule of Pillow 13; earlier versions
// always begin with the rows.
bool begins_with_columns(Size source, Size result) {
  const int64_t fewer_rows = source.height - result.height, fewer_columns = source.width - result.width;
  return fewer_rows > 0 && fewer_rows > 2 * fewer_columns;
}

Image copy(const View& image) {
  Image result(image.size);
  for (int64_t y = 0; y < image.size.height; ++y) std::copy_n(image.row(y), 3 * image.size.width, result.row(y));
  return result;
}

}  // namespace

Image resize(const View& image, Size size, Filter filter) {
  if (size.height < 1 || size.width < 1) {
    throw UsageError({.where = "resize", .given = to_string(size), .expected = "at least one pixel"});
  }
  if (filter == Filter::kNearest) return resize_nearest(image, size);
  if (size == image.size) return copy(image);
  if (size.width == image.size.width) return resize_height(image, size.height, filter);
  if (size.height == image.size.height) return resize_width(image, size.width, filter);
  if (begins_with_columns(image.size, size)) {
    return resize_width(resize_height(image, size.height, filter).view(), size.width, filter);
  }
  return resize_height(resize_width(image, size.width, filter).view(), size.height, filter);
}

}  // namespace portatune::image
