// The mask of a dropout rate.
#pragma once

#include "portatune/kernels/cpu/elementwise/dropout.h"

namespace portatune::kernels {

/// rate  at least 2^-8, so that 2^32 times the rate is an integer
inline DropoutMask mask_of(const uint32_t* key, float rate) {
  const float rule[2] = {rate * 0x1p32F, 1 / (1 - rate)};
  return {key, rule};
}

}  // namespace portatune::kernels
