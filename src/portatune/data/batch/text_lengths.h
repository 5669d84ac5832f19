// How long the texts of a mask are.
#pragma once

#include "portatune/packing.h"

namespace portatune::data {

/// The tokens of each text in an int32 mask [positions] or [..., positions]: as many as are not 0.
TextLengths text_lengths(const Tensor& mask);

}  // namespace portatune::data
