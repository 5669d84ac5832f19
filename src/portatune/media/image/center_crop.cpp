#include <algorithm>

#include "portatune/media.h"

namespace portatune::image {
namespace {

// The offset of the part in the whole; negative if the part is larger. If the difference is odd, one pixel more is cut
// off at the end, or added at the beginning, as in transformers.
int64_t begin_of_part(int64_t whole, int64_t part) {
  return whole >= part ? (whole - part) / 2 : -((part - whole + 1) / 2);
}

}  // namespace

Image center_crop(const View& image, Size size) {
  const int64_t top = begin_of_part(image.size.height, size.height);
  const int64_t left = begin_of_part(image.size.width, size.width);
  const Size kept = {std::min(size.height, image.size.height), std::min(size.width, image.size.width)};
  const View from = image.crop(std::max<int64_t>(0, top), std::max<int64_t>(0, left), kept);
  Image result(size);
  if (kept != size) std::ranges::fill(result.bytes(), uint8_t{0});
  for (int64_t y = 0; y < kept.height; ++y) {
    uint8_t* to = result.row(y + std::max<int64_t>(0, -top)) + 3 * std::max<int64_t>(0, -left);
    std::copy_n(from.row(y), 3 * kept.width, to);
  }
  return result;
}

}  // namespace portatune::image
