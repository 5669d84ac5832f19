// Pictures for tests.
#pragma once

#include <filesystem>

#include "portatune/image.h"

namespace portatune::image {

void write_png(const std::filesystem::path& file, const Image& image);

/// One colour, but for a little that depends on `number` and the place.
Image plain_picture(Size size, std::array<uint8_t, 3> colour, int number);

}  // namespace portatune::image
