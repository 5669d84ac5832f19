// Lengths of texts from their attention mask.
#pragma once

#include "portatune/data.h"

namespace portatune::data {

/// Number of tokens of each text in an int32 mask [positions] or [..., positions]: the values that are not 0.
TextLengths text_lengths(const Tensor& mask);

}  // namespace portatune::data
