#include <algorithm>

#include "portatune/error.h"
#include "portatune/media.h"

namespace portatune::image {
namespace {

// Refuses a narrow image that shortest_edge would make very long, before its middle is cropped.
void require_resizable(Size from, Size to, const std::string& where) {
  const int64_t max_pixels = std::max(DecodeOptions().max_pixels, from.height * from.width);
  if (to.height <= max_pixels / to.width) return;
  throw DataError({.where = where,
                   .given = "an image of " + to_string(from) + ", which shortest_edge enlarges to " + to_string(to),
                   .expected = "at most " + std::to_string(max_pixels) + " pixels in all",
                   .fix = "crop the image, or leave it out"});
}

}  // namespace

Processor::Processor(const ProcessorConfig& config) : config_(config) {
  for (size_t colour = 0; colour < 3; ++colour) {
    for (size_t byte = 0; byte < 256; ++byte) {
      // Rounds to float where NumPy does: after the product, after the difference, after the quotient.
      float value = static_cast<float>(byte);
      if (config.do_rescale) value = static_cast<float>(static_cast<double>(byte) * config.rescale_factor);
      if (config.do_normalize) {
        value = (value - static_cast<float>(config.mean[colour])) / static_cast<float>(config.deviation[colour]);
      }
      values_[colour][byte] = value;
    }
  }
}

Tensor Processor::operator()(const View& image, const std::string& where) const {
  return normalize(resize_and_crop(image, where).view());
}

Image Processor::resize_and_crop(const View& image, const std::string& where) const {
  const Size size = resized_size(image.size), crop = config_.do_center_crop ? config_.crop_size : size;
  if (!config_.do_resize) return center_crop(image, crop);
  if (config_.shortest_edge) require_resizable(image.size, size, where);
  Image resized = resize(image, size, config_.resample);
  return resized.size() == crop ? std::move(resized) : center_crop(resized.view(), crop);
}

Tensor Processor::normalize(const View& image) const {
  const auto [height, width] = image.size;
  Tensor result({DType::kFloat32, {3, height, width}});
  for (int64_t colour = 0; colour < 3; ++colour) {
    const std::array<float, 256>& values = values_[static_cast<size_t>(colour)];
    float* to = result.as<float>().data() + colour * height * width;
    for (int64_t y = 0; y < height; ++y) {
      const uint8_t* from = image.row(y) + colour;
      for (int64_t x = 0; x < width; ++x) *to++ = values[from[3 * x]];
    }
  }
  return result;
}

}  // namespace portatune::image
