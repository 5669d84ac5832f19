// Changes of brightness, contrast and saturation, with the pixels of Pillow's ImageEnhance.
#pragma once

#include "portatune/media.h"

namespace portatune::image {

// factor  0 gives black, an even grey, or the image in grey; 1 changes nothing; values above 1 amplify
void change_brightness(Image& image, float factor);
void change_contrast(Image& image, float factor);
void change_saturation(Image& image, float factor);

}  // namespace portatune::image
