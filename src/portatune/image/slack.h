// The memory behind the last pixel of an image.
#pragma once

#include <cstdint>

namespace portatune::image {

/// Number of bytes behind the last pixel of every Image. They allow loops to read and write whole vectors at its end.
inline constexpr int64_t kSlack = 32;

}  // namespace portatune::image
