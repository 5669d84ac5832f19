// BERT's normalizer: clean, set ideographs apart, strip accents, lower-case.
#pragma once

#include <cstdint>
#include <string_view>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// As in tokenizer.json. All false changes nothing.
struct BertNormalizerOptions {
  bool clean_text = false, handle_chinese_chars = false, strip_accents = false, lowercase = false;
};

/// source    the BERT release's BasicTokenizer (Devlin et al. 2018, arXiv:1810.04805) as `tokenizers` has it
class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {}
  const BertNormalizerOptions& options() const { return options_; }

  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }

  /// Appends the normalized form of `text`, whose first code point is number `first` of the original. A text may be cut
  /// before any ASCII character: the parts then give what the whole gives.
  void normalize(std::string_view text, int32_t first, Normalized& out) const;

 private:
  BertNormalizerOptions options_;
};

}  // namespace portatune::text
