// What an IdEncoder keeps from one text to the next.
#pragma once

#include "portune/text/parts.h"

namespace portune::text {

struct IdEncoder::State final : private StageSink {
  explicit State(const Tokenizer::Parts& tokenizer) : parts(tokenizer) {}

  /// Replaces `first` and `second` by the ids of the texts, truncated.
  void encode(const TextPair& texts, const EncodeOptions& options);

  const Tokenizer::Parts& parts;
  Sequence first, second;  ///< ids only

 private:
  void encode_text(std::string_view text, size_t limit, std::vector<int32_t>& ids);
  // Stops as Parts::encode does and returns whether it got through.
  bool take_text(std::string_view text, size_t begin, size_t end);
  bool take_normalized(std::string_view text);

  bool take_words(const Words& words) override;
  void take_token(int32_t id, Offsets, std::string_view) override { ids_->push_back(id); }

  FusedScratch fused_;
  Tokenizer::Parts::Scratch stages_;
  std::vector<AddedTokens::Match> raw_matches_, matches_;
  // Of the text that is being encoded:
  std::vector<int32_t>* ids_ = nullptr;
  size_t limit_ = kNoLimit;
};

}  // namespace portune::text
