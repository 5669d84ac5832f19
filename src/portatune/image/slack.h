// Room behind the last pixel of an image.
#pragma once

#include <cstdint>

namespace portatune::image {

/// Bytes that every Image has behind its last one, so that loops may read and write whole vectors at its end.
inline constexpr int64_t kSlack = 32;

}  // namespace portatune::image
