// BERT's normalizer: cleans text, separates ideographs, strips accents, converts to lower case.
#pragma once

#include <cstdint>
#include <string_view>

#include "portatune/text/normalize/normalizer.h"

namespace portatune::text {

/// The options in tokenizer.json. All false: no change.
struct BertNormalizerOptions {
  bool clean_text = false, handle_chinese_chars = false, strip_accents = false, lowercase = false;
};

/// BERT's normalizer, as in `tokenizers`.
/// source    BasicTokenizer of the BERT release (Devlin et al. 2018, arXiv:1810.04805)
class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {}
  const BertNormalizerOptions& options() const { return options_; }

  void normalize(Normalized& text) const override;
  bool works_by_segment() const override { return true; }

  /// Appends the normalized form of `text`, which begins at code point `first` of the original. A text may be split
  /// before any ASCII character without a change of the result.
  void normalize(std::string_view text, int32_t first, Normalized& out) const;

 private:
  BertNormalizerOptions options_;
};

}  // namespace portatune::text
