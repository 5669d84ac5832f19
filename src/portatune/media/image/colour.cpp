#include "portatune/media/image/colour.h"

#include <algorithm>

namespace portatune::image {
namespace {

// The grey of a colour by ITU-R 601-2 in 16 bits, as in Pillow.
uint8_t grey_of(const uint8_t* pixel) {
  return static_cast<uint8_t>((pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >> 16);
}

// Interpolates between two bytes, or extrapolates beyond `to`.
uint8_t blend(int from, int to, float factor) {
  const float value = static_cast<float>(from) + factor * static_cast<float>(to - from);
  return static_cast<uint8_t>(std::clamp(value, 0.0F, 255.0F));
}

}  // namespace

void change_brightness(Image& image, float factor) {
  for (uint8_t& byte : image.bytes()) byte = blend(0, byte, factor);
}

void change_contrast(Image& image, float factor) {
  int64_t total = 0;
  const std::span<uint8_t> bytes = image.bytes();
  for (size_t i = 0; i < bytes.size(); i += 3) total += grey_of(&bytes[i]);
  const int mean = static_cast<int>(static_cast<double>(total) / static_cast<double>(bytes.size() / 3) + 0.5);
  for (uint8_t& byte : bytes) byte = blend(mean, byte, factor);
}

void change_saturation(Image& image, float factor) {
  const std::span<uint8_t> bytes = image.bytes();
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const int grey = grey_of(&bytes[i]);
    for (size_t colour = i; colour < i + 3; ++colour) bytes[colour] = blend(grey, bytes[colour], factor);
  }
}

}  // namespace portatune::image
