// The stage that changes characters.
#pragma once

#include <memory>

#include "portune/text/normalized.h"

namespace portune::text {

/// A normalizer of tokenizer.json. Immutable.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void normalize(Normalized& text) const = 0;
};
using NormalizerPtr = std::unique_ptr<const Normalizer>;

}  // namespace portune::text
