// The orientation of a picture, and the turn that makes it upright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "portatune/media.h"

namespace portatune::image {

/// The value of the EXIF tag: 1 is upright, 2 mirrored, 3 upside down, 6 needs a turn to the right, 8 to the left, ...
using Orientation = int;
inline constexpr Orientation kUpright = 1;

/// The orientation in an EXIF block (a TIFF file, with or without "Exif\0\0" before it): kUpright if the value is
/// invalid, empty if there is no such tag or the block is damaged. Never throws. Pillow reads XMP only if the result is
/// empty.
std::optional<Orientation> orientation_in_exif(std::span<const std::byte> exif);
/// The orientation in XMP, which is XML; kUpright if there is none.
Orientation orientation_in_xmp(std::string_view xmp);

/// True if width and height are exchanged.
constexpr bool swaps_sides(Orientation orientation) { return orientation >= 5; }

/// Turns a picture upright.
Image upright(Image image, Orientation orientation);

}  // namespace portatune::image
