// Normalizers that work on one character at a time.
#pragma once

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// Lowercase: Unicode's lower case, without regard to adjacent characters.
class Lowercase final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }
};

/// StripAccents: removes combining marks (decompose before).
class StripAccents final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override { return true; }
};

/// Nmt: removes control characters and turns others into spaces, as in `tokenizers`.
/// source    rule "nmt" of SentencePiece
class Nmt final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }
};

/// ByteLevel: replaces each byte by a printable character.
class ByteLevelNormalizer final : public Normalizer {
 public:
  void normalize(Normalized& text) const override;
};

}  // namespace portatune::text
