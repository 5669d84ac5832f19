// The stage that changes characters.
#pragma once

#include <memory>
#include <string_view>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// A normalizer of tokenizer.json. It is immutable.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void normalize(Normalized& text) const = 0;
  /// True if this text and its origins certainly stay unchanged.
  virtual bool keeps([[maybe_unused]] std::string_view text) const { return false; }
  /// True if each segment (segments.h) gives the same text alone as within the whole text, and stays a segment: visible
  /// ASCII characters stay so, and the spaces between them stay.
  virtual bool works_by_segment() const { return false; }
};
using NormalizerPtr = std::unique_ptr<const Normalizer>;

}  // namespace portatune::text
