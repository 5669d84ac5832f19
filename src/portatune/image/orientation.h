// How a picture has to be turned to stand upright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "portatune/image.h"

namespace portatune::image {

/// The tag of EXIF: 1 is upright, 2 mirrored, 3 upside down, 6 to be turned to the right, 8 to the left, ...
using Orientation = int;
inline constexpr Orientation kUpright = 1;

/// The orientation that an EXIF block (a TIFF file, with or without "Exif\0\0" before it) tells: kUpright if what it
/// tells makes no sense, nothing if it has no such tag or is damaged. Never throws. Where it tells nothing, and only
/// there, Pillow asks XMP.
std::optional<Orientation> orientation_in_exif(std::span<const std::byte> exif);
/// The same of XMP, which is XML; kUpright if it tells none.
Orientation orientation_in_xmp(std::string_view xmp);

/// Whether width and height change places.
constexpr bool swaps_sides(Orientation orientation) { return orientation >= 5; }

/// The picture upright.
Image upright(Image image, Orientation orientation);

}  // namespace portatune::image
