// The random part of an image that a training step uses.
#pragma once

#include "portatune/image.h"
#include "portatune/image/draws.h"

namespace portatune::image {

struct Part {
  int64_t top = 0, left = 0;
  Size size;
};

/// A random part with 8 to 100 % of the area and sides of 3:4 to 4:3; a part in the middle if none of ten draws fits
/// into the image.
/// source  RandomResizedCrop of torchvision, after Szegedy et al. 2015, arXiv:1409.4842, section 6
Part random_crop(Size image, Draws& draws);

/// The same part of the same image decoded at another size.
Part scaled(const Part& part, Size from, Size to);

}  // namespace portatune::image
