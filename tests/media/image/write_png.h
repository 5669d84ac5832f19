// Writes pictures for tests.
#pragma once

#include <filesystem>

#include "portatune/media.h"

namespace portatune::image {

void write_png(const std::filesystem::path& file, const Image& image);

/// A picture of one colour with small differences that depend on `number` and the position.
Image plain_picture(Size size, std::array<uint8_t, 3> colour, int number);

}  // namespace portatune::image
