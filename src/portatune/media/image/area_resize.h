// Resizing by areas.
#pragma once

#include "portatune/media.h"

namespace portatune::image {

/// Resizes an image: a pixel of the result is the mean over its area, where a pixel that lies in it in part counts by
/// that part, rounded to the next even number from halves. These are the pixels of tf.image.resize with method "area",
/// after tf.round.
Image area_resize(const View& image, Size size);

}  // namespace portatune::image
