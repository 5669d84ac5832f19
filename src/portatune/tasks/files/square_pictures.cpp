#include "portatune/tasks/files/square_pictures.h"

#include <algorithm>

#include "portatune/base/random.h"
#include "portatune/media/image/area_resize.h"

namespace portatune::tasks {
namespace {

constexpr int64_t kColorChannels = 3;
constexpr int kCoarseBits = 3, kLostBits = 8 - kCoarseBits;

// The random choices of an image in training.
enum SquareDraw : uint64_t { kTop, kLeft };

// An int32 array with the numbers of all pixels, in the order of reading.
template <class NumberOf>
Tensor numbers_of_pixels(const image::Image& picture, NumberOf number_of) {
  const auto [height, width] = picture.size();
  Tensor numbers(TensorType{DType::kInt32, {height, width}});
  const uint8_t* pixel = picture.bytes().data();
  for (int32_t& number : numbers.as<int32_t>()) {
    number = number_of(pixel);
    pixel += kColorChannels;
  }
  return numbers;
}

// Where a part of `size` begins in a line of `length` pixels.
int64_t begin_of(int64_t length, int64_t size, std::optional<uint64_t> key, SquareDraw draw) {
  const int64_t more = length - size;
  if (!key) return more / 2;
  return static_cast<int64_t>(split_mix_64(*key, draw) % static_cast<uint64_t>(more + 1));
}

}  // namespace

image::Image square_picture(const image::View& view, int64_t side, std::optional<uint64_t> key) {
  const int64_t shorter = std::min(view.size.height, view.size.width);
  const int64_t top = begin_of(view.size.height, shorter, key, kTop);
  const int64_t left = begin_of(view.size.width, shorter, key, kLeft);
  return image::area_resize(view.crop(top, left, {shorter, shorter}), {side, side});
}

image::Image resized_picture(const image::Image& picture, int64_t side) {
  return image::area_resize(picture.view(), {side, side});
}

Tensor gray_values(const image::Image& picture) {
  return numbers_of_pixels(picture, [](const uint8_t* pixel) {
    const float red = 0.2989F * static_cast<float>(pixel[0]), green = 0.587F * static_cast<float>(pixel[1]);
    return static_cast<int32_t>(red + green + 0.114F * static_cast<float>(pixel[2]));
  });
}

Tensor coarse_colors(const image::Image& picture) {
  return numbers_of_pixels(picture, [](const uint8_t* pixel) {
    int32_t color = 0;
    for (int64_t c = 0; c < kColorChannels; ++c) color = (color << kCoarseBits) + (pixel[c] >> kLostBits);
    return color;
  });
}

Tensor color_channels(const image::Image& picture) { return numbered_channels(picture, 0); }

Tensor numbered_channels(const image::Image& picture, int64_t levels) {
  const auto [height, width] = picture.size();
  const int64_t divisor = levels == 0 ? 1 : 256 / levels;
  Tensor channels(TensorType{DType::kInt32, {kColorChannels, height, width}});
  int32_t* value = channels.as<int32_t>().data();
  for (int64_t c = 0; c < kColorChannels; ++c) {
    for (size_t i = static_cast<size_t>(c); i < picture.bytes().size(); i += kColorChannels) {
      *value++ = static_cast<int32_t>(picture.bytes()[i] / divisor + levels * c);
    }
  }
  return channels;
}

image::Image picture_of_coarse(std::span<const int32_t> colors, int64_t side) {
  image::Image picture({side, side});
  uint8_t* pixel = picture.bytes().data();
  for (const int32_t color : colors) {
    for (int c = 2; c >= 0; --c) *pixel++ = static_cast<uint8_t>((color >> (c * kCoarseBits)) << kLostBits);
  }
  return picture;
}

image::Image picture_of_channels(std::span<const int32_t> channels, int64_t side) {
  image::Image picture({side, side});
  const auto pixels = static_cast<size_t>(side * side);
  for (size_t i = 0; i < channels.size(); ++i) {
    picture.bytes()[kColorChannels * (i % pixels) + i / pixels] = static_cast<uint8_t>(channels[i]);
  }
  return picture;
}

}  // namespace portatune::tasks
