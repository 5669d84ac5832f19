// NFC, NFD, NFKC, NFKD.
#pragma once

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

/// source    The Unicode Standard 15.0, section 3.11, with the tables that `tokenizers` has, which are of several ages
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
