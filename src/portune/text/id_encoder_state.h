// What an IdEncoder keeps from one text to the next.
#pragma once

#include "portune/text/parts.h"

namespace portune::text {

struct IdEncoder::State {
  explicit State(const Tokenizer::Parts& tokenizer) : parts(tokenizer) {}

  /// Replaces `first` and `second` by the ids of the texts, truncated.
  void encode(const TextPair& texts, const EncodeOptions& options);

  const Tokenizer::Parts& parts;
  Sequence first, second;  ///< ids only

 private:
  // The first replaces `ids`, the others append. Both stop as Parts::encode does and return whether they got through.
  void encode_text(std::string_view text, size_t limit, std::vector<int32_t>& ids);
  bool take_text(std::string_view text, size_t limit, std::vector<int32_t>& ids);
  bool take_words(std::string_view text, size_t limit, std::vector<int32_t>& ids);

  FusedBert::Scratch scratch_;
  std::vector<AddedTokens::Match> raw_matches_, matches_;
  std::string normalized_;
};

}  // namespace portune::text
