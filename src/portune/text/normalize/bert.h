// BERT's normalizer: clean, set ideographs apart, strip accents, lower-case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portune/text.h"

namespace portune::text {

/// Normalized text and, where asked for, the piece of the original text that each of its bytes stems from.
struct Normalized {
  std::string text;
  std::vector<Offsets> origins;

  void clear() {
    text.clear();
    origins.clear();
  }
};

/// As in tokenizer.json. All false changes nothing.
struct BertNormalizerOptions {
  bool clean_text = false, handle_chinese_chars = false, strip_accents = false, lowercase = false;
};

/// source    the BERT release's BasicTokenizer (Devlin et al. 2018, arXiv:1810.04805) as `tokenizers` has it
class BertNormalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options) : options_(options) {}
  const BertNormalizerOptions& options() const { return options_; }

  /// Appends the normalized form of `text` to `out`. A text may be cut before any ASCII character: the parts then give
  /// what the whole gives.
  void normalize(std::string_view text, std::string& out) const;

  /// The same with origins. `first` is the number of code points before `text` in the original.
  void normalize(std::string_view text, int32_t first, Normalized& out) const;

 private:
  BertNormalizerOptions options_;
};

}  // namespace portune::text
