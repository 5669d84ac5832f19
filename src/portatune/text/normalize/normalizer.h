// The stage that changes characters.
#pragma once

#include <memory>
#include <string_view>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// A normalizer of tokenizer.json. Immutable.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void normalize(Normalized& text) const = 0;
  /// Whether it is certain that this text and its origins stay as they are.
  virtual bool keeps([[maybe_unused]] std::string_view text) const { return false; }
  /// Whether segments (segments.h) become what they become as parts of the text, and remain segments: what is visible
  /// ASCII is so afterwards, and the spaces between such characters stay.
  virtual bool works_by_segment() const { return false; }
};
using NormalizerPtr = std::unique_ptr<const Normalizer>;

}  // namespace portatune::text
