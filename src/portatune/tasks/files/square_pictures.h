// Pictures as the arrays of a model that colours them, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "portatune/media.h"
#include "portatune/tensor.h"

namespace portatune::tasks {

/// A square of the image, resized by areas: one at a random place, or the one in the middle without a key. Its side is
/// the shorter side of the image.
image::Image square_picture(const image::View& view, int64_t side, std::optional<uint64_t> key);
/// A square picture with another side.
image::Image resized_picture(const image::Image& picture, int64_t side);

/// Grey values of a picture, int32 [side, side]: 0.2989 red + 0.587 green + 0.114 blue in float32, without the
/// fraction, as tf.image.rgb_to_grayscale computes them from integers.
Tensor gray_values(const image::Image& picture);
/// Coarse colours, int32 [side, side]: 64 red + 8 green + blue, of which each has its upper three bits.
Tensor coarse_colors(const image::Image& picture);
/// Values of red, green and blue, int32 [3, side, side].
Tensor color_channels(const image::Image& picture);
/// Values of red, green and blue for an upsampler: divided by 256 / levels, plus levels * the number of the channel.
Tensor numbered_channels(const image::Image& picture, int64_t levels);

/// The picture of coarse colours.
image::Image picture_of_coarse(std::span<const int32_t> colors, int64_t side);
/// The picture of color_channels().
image::Image picture_of_channels(std::span<const int32_t> channels, int64_t side);

}  // namespace portatune::tasks
