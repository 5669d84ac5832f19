// ByteLevel: splits by GPT-2's rules, and replaces each byte by a printable character.
#pragma once

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// The options in tokenizer.json.
struct ByteLevelOptions {
  bool add_prefix_space = true;  ///< add a space before each text that does not begin with one
  bool use_regex = true;         ///< split into words
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
