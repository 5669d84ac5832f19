// Colours of a whole image made weaker or stronger, with the pixels of Pillow's ImageEnhance.
#pragma once

#include "portatune/image.h"

namespace portatune::image {

// factor  0 gives black, an even grey, or the image in grey; 1 leaves it as it is; more goes beyond
void change_brightness(Image& image, float factor);
void change_contrast(Image& image, float factor);
void change_saturation(Image& image, float factor);

}  // namespace portatune::image
