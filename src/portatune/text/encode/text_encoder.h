// Encodes texts one after the other, and keeps what that needs from one to the next.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/parts.h"

namespace portatune::text {

/// Through the fused pass where there is one; else by segments where stages and text allow that, each of which is
/// looked up before it goes through the stages; else through the stages one after the other. For one thread.
class TextEncoder {
 public:
  /// Keeps a reference.
  explicit TextEncoder(const Tokenizer::Parts& parts) : parts_(parts) {}

  /// Replaces `first` and `second` by the tokens of the texts, truncated. Offsets and word ids only if these are
  /// wanted.
  void encode(const TextPair& texts, const EncodeOptions& options);

  /// Replaces `first` by the tokens of words that are encoded each by itself, with offsets and word ids.
  void encode_words(std::span<const std::string> words, const EncodeOptions& options);

  Sequence first, second;

  /// Bytes of the longest text so far, to which the memory that it holds is in proportion.
  size_t longest_text() const { return longest_text_; }

 private:
  void encode_text(std::string_view text, size_t limit, bool with_offsets, Sequence& sequence);
  // These return whether the sink has wanted all of it. `position`: code points before the piece of text.
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
  WordCache words_, segments_;  // words as the model gets them, segments as the text has them
  std::vector<Piece> pieces_;
  // Of a segment that has gone through the stages: its tokens, and the end of each word among them.
  std::vector<Piece> segment_pieces_;
  std::vector<size_t> segment_words_;
};

}  // namespace portatune::text
