// Lengths of examples with two texts.
#pragma once

#include "portatune/data.h"

namespace portatune::data {

/// Whether a batch of these lengths has room for an example of those.
constexpr bool holds(const LengthPair& pair, const LengthPair& example) {
  return pair.source >= example.source && pair.target >= example.target;
}

}  // namespace portatune::data
