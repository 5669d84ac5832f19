// Images as PNG files.
#pragma once

#include <string>

#include "portatune/media.h"

namespace portatune::image {

/// The bytes of a PNG file without loss.
std::string encode_png(const Image& image);

}  // namespace portatune::image
