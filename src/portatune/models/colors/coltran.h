// The models of the Colorization Transformer.
#pragma once

#include <memory>

#include "portatune/models/colors/axial_layers.h"

namespace portatune::models {

std::unique_ptr<ColorModel> coltran_colorizer(const ColTranConfig& c);
/// The color upsampler or the spatial upsampler.
std::unique_ptr<ColorModel> coltran_upsampler(const ColTranConfig& c);

}  // namespace portatune::models
