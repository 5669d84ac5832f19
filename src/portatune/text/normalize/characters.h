// Normalizers that look at one character at a time.
#pragma once

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// Lowercase: Unicode's lower case, without regard to what stands beside a character.
class Lowercase final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }
};

/// StripAccents: takes combining marks away (decompose before).
class StripAccents final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override { return true; }
};

/// Nmt: takes control characters away and turns others into spaces.
/// source    SentencePiece's rule "nmt", as `tokenizers` has it
class Nmt final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }
};

/// ByteLevel: each byte as a printable character.
class ByteLevelNormalizer final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
};

}  // namespace portatune::text
