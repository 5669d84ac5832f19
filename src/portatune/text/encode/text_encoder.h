// Encodes texts one after the other, and keeps caches between them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/parts.h"

namespace portatune::text {

/// Encodes by the first route that applies: the fused pass; segments, each of which is looked up in a cache before it
/// goes through the stages; the stages one after the other (docs/input/tokenizer.md). Only one thread at a time may use
/// an encoder.
class TextEncoder {
 public:
  /// Keeps a reference to `parts`.
  explicit TextEncoder(const Tokenizer::Parts& parts) : parts_(parts) {}

  /// Replaces `first` and `second` by the tokens of the texts, truncated. Offsets and word ids are filled on request.
  void encode(const TextPair& texts, const EncodeOptions& options);

  /// Replaces `first` by the tokens of separately encoded words, with offsets and word ids.
  void encode_words(std::span<const std::string> words, const EncodeOptions& options);

  Sequence first, second;

  /// Size in bytes of the longest text so far. The encoder's memory is proportional to it.
  size_t longest_text() const { return longest_text_; }

 private:
  void encode_text(std::string_view text, size_t limit, bool with_offsets, Sequence& sequence);
  // These functions return false if the sink stopped. `position`: number of code points before the text.
  template <class Sink>
  bool take_text(std::string_view text, Sink& sink);
  template <class Sink, class Take>
  bool take_between(std::string_view text, const std::vector<AddedTokens::Match>& matches, int32_t position, Sink& sink,
                    Take&& take);
  template <class Sink>
  bool take_piece(std::string_view text, int32_t position, Sink& sink);
  template <class Sink>
  bool take_normalized(std::string_view text, int32_t position, Sink& sink);
  template <class Sink>
  bool take_segments(std::string_view text, int32_t position, Sink& sink);
  template <class Sink>
  bool take_segment(const ShortKey& segment, int32_t position, Sink& sink);
  template <class Sink>
  bool take_stages(std::string_view text, int32_t position, Sink& sink);
  template <class Sink>
  bool take_words(const Words& words, Sink& sink);
  template <class Sink, class Origin>
  size_t take_part(std::string_view part, Sink& sink, Origin&& origin);

  class SegmentSink;
  template <class Sink>
  class StagesTo;

  const Tokenizer::Parts& parts_;
  size_t longest_text_ = 0;
  FusedScratch fused_;
  Tokenizer::Parts::Scratch stages_;
  std::vector<AddedTokens::Match> raw_matches_, matches_;
  WordCache words_, segments_;  // words as the model gets them; segments as in the text
  std::vector<Piece> pieces_;
  // Tokens of a segment from the stages, and the index of each word's end among them.
  std::vector<Piece> segment_pieces_;
  std::vector<size_t> segment_words_;
};

}  // namespace portatune::text
