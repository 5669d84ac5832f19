#include "portatune/media.h"
#include "portatune/media/image/taps.h"

namespace portatune::image {

std::string to_string(const Size& size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height) + " pixels";
}

// The system provides pages at their first write, so a file that declares many pixels and has few costs little.
Image::Image(Size size)
    : size_(size), data_(std::make_unique_for_overwrite<uint8_t[]>(byte_count() + static_cast<size_t>(kSlack))) {}

}  // namespace portatune::image
