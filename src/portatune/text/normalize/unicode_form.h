// Unicode's normalization forms NFC, NFD, NFKC and NFKD.
#pragma once

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

/// A normalizer to a Unicode form, with the tables of `tokenizers`, which come from several versions of Unicode.
/// source    The Unicode Standard 15.0, section 3.11
class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(UnicodeForm form) : form_(form) {}
  void normalize(Normalized& text) const override;
  bool keeps(std::string_view text) const override;
  bool works_by_segment() const override { return true; }

 private:
  UnicodeForm form_;
};

}  // namespace portatune::text
