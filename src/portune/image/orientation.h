// How a picture has to be turned to stand upright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "portune/image.h"

namespace portune::image {

/// The tag of EXIF: 1 is upright, 2 mirrored, 3 upside down, 6 to be turned to the right, 8 to the left, ...
using Orientation = int;
inline constexpr Orientation kUpright = 1;

/// The orientation that an EXIF block (a TIFF file, with or without "Exif\0\0" before it) tells; kUpright if it tells
/// none or is damaged. Never throws.
Orientation orientation_in_exif(std::span<const std::byte> exif);
/// The same of XMP, which is XML.
Orientation orientation_in_xmp(std::string_view xmp);

/// Whether width and height change places.
constexpr bool swaps_sides(Orientation orientation) { return orientation >= 5; }

/// The picture upright.
Image upright(Image image, Orientation orientation);

}  // namespace portune::image
