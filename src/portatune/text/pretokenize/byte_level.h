// ByteLevel: GPT-2's words, with each byte as a printable character.
#pragma once

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// As in tokenizer.json.
struct ByteLevelOptions {
  bool add_prefix_space = true;  ///< a space before each text that does not begin with one
  bool use_regex = true;         ///< whether to cut at all
};

class ByteLevelPreTokenizer final : public PreTokenizer {
 public:
  explicit ByteLevelPreTokenizer(const ByteLevelOptions& options) : options_(options) {}
  const ByteLevelOptions& options() const { return options_; }

  void split(Words& words) const override;

 private:
  ByteLevelOptions options_;
};

}  // namespace portatune::text
