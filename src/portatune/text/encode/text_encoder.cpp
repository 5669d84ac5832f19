#include "portatune/text/encode/text_encoder.h"

#include <algorithm>

#include "portatune/text/encode/segments.h"
#include "portatune/text/pretokenize/byte_level.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

int32_t length_of(std::string_view text) { return static_cast<int32_t>(count_code_points(text)); }

}  // namespace

// Passes results of the stages to the encoder and the sink.
template <class Sink>
class TextEncoder::StagesTo final : public StageSink {
 public:
  StagesTo(TextEncoder& encoder, Sink& sink) : encoder_(encoder), sink_(sink) {}
  bool take_words(const Words& words) override { return encoder_.take_words(words, sink_); }
  void take_token(int32_t id, Offsets offsets, std::string_view text) override { sink_.take_token(id, offsets, text); }

 private:
  TextEncoder& encoder_;
  Sink& sink_;
};

// Collects the tokens of a segment, which contains no added tokens.
class TextEncoder::SegmentSink {
 public:
  static constexpr bool kWithOffsets = true;

  SegmentSink(std::vector<Piece>& pieces, std::vector<size_t>& words, int32_t position)
      : pieces_(pieces), words_(words), position_(position) {
    pieces_.clear();
    words_.clear();
  }

  template <class Tokens, class Origin>
  void push(const Tokens& tokens, Origin&& origin) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Piece token = tokens[i];
      const Offsets offsets = origin(token.begin, token.end);
      pieces_.push_back(
          {token.id, static_cast<uint32_t>(offsets.begin - position_), static_cast<uint32_t>(offsets.end - position_)});
    }
  }
  bool end_word() {
    words_.push_back(pieces_.size());
    return true;
  }
  void take_token(int32_t, Offsets, std::string_view) {}

 private:
  std::vector<Piece>& pieces_;
  std::vector<size_t>& words_;
  const int32_t position_;
};

void TextEncoder::encode(const TextPair& texts, const EncodeOptions& options) {
  const bool pair = texts.second.has_value();
  const int64_t budget = parts_.budget(pair, options);
  const Limits limit = limits(pair, budget, options.truncation);
  stages_.prefix_space = false;
  encode_text(texts.first, limit.first, options.with_offsets, first);
  second.resize(0);
  if (pair) encode_text(*texts.second, limit.second, options.with_offsets, second);
  truncate(first, second, pair, budget, options.truncation);
}

void TextEncoder::encode_words(std::span<const std::string> words, const EncodeOptions& options) {
  stages_.prefix_space = dynamic_cast<const ByteLevelPreTokenizer*>(parts_.pre_tokenizer.get()) != nullptr;
  Sequence all;
  for (size_t i = 0; i < words.size(); ++i) {
    encode_text(words[i], kNoLimit, true, first);
    all.ids.insert(all.ids.end(), first.ids.begin(), first.ids.end());
    for (const TokenSource& source : first.sources) all.sources.push_back({source.offsets, static_cast<int32_t>(i)});
  }
  first = std::move(all);
  second.resize(0);
  truncate(first, second, false, parts_.budget(false, options), options.truncation);
}

void TextEncoder::encode_text(std::string_view text, size_t limit, bool with_offsets, Sequence& sequence) {
  require_utf8(text);
  longest_text_ = std::max(longest_text_, text.size());
  sequence.resize(0);
  if (with_offsets) {
    TokenSink sink(sequence, limit, parts_.post_processor.trims, parts_.token_spaces());
    take_text(text, sink);
  } else {
    IdSink sink(sequence, limit);
    take_text(text, sink);
  }
}

template <class Sink>
bool TextEncoder::take_text(std::string_view text, Sink& sink) {
  parts_.raw_tokens.find(text, raw_matches_);
  return take_between(text, raw_matches_, 0, sink,
                      [&](std::string_view piece, int32_t position) { return take_piece(piece, position, sink); });
}

// Emits added tokens, and calls take(piece, position) for the text between them and after the last.
template <class Sink, class Take>
bool TextEncoder::take_between(std::string_view text, const std::vector<AddedTokens::Match>& matches, int32_t position,
                               Sink& sink, Take&& take) {
  size_t at = 0;
  for (const AddedTokens::Match& match : matches) {
    if (at < match.begin) {
      const std::string_view piece = text.substr(at, match.begin - at);
      if (!take(piece, position)) return false;
      position += length_of(piece);
    } else {
      position -= length_of(text.substr(match.begin, at - match.begin));
    }
    const std::string_view token = text.substr(match.begin, match.end - match.begin);
    const int32_t length = length_of(token);
    sink.take_token(match.id, {position, position + length}, token);
    position += length;
    at = match.end;
  }
  return take(text.substr(at), position);
}

template <class Sink>
bool TextEncoder::take_piece(std::string_view text, int32_t position, Sink& sink) {
  const FusedPass* fused = stages_.prefix_space ? nullptr : parts_.fused.get();
  if (fused != nullptr && fused->normalizes() && parts_.normalized_tokens.empty()) {
    return fused->pass(text, position, fused_, sink);
  }
  const bool plain = parts_.normalizer == nullptr || parts_.normalizer->keeps(text);
  if (fused != nullptr && !fused->normalizes() && (plain || !Sink::kWithOffsets)) {
    return take_normalized(text, position, sink);
  }
  return parts_.by_segment && has_segments(text) ? take_segments(text, position, sink)
                                                 : take_stages(text, position, sink);
}

// Normalizes the text if necessary, and passes the text between normalized added tokens to the fused pass.
template <class Sink>
bool TextEncoder::take_normalized(std::string_view text, int32_t position, Sink& sink) {
  if (parts_.normalizer != nullptr && !parts_.normalizer->keeps(text)) {
    stages_.normalized.assign(text, 0, false);
    parts_.normalizer->normalize(stages_.normalized);
    text = stages_.normalized.text();
  }
  parts_.normalized_tokens.find(text, matches_);
  return take_between(text, matches_, position, sink,
                      [&](std::string_view piece, int32_t at) { return parts_.fused->pass(piece, at, fused_, sink); });
}

template <class Sink>
bool TextEncoder::take_segments(std::string_view text, int32_t position, Sink& sink) {
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = end_of_segment(text, begin);
    const std::string_view segment = text.substr(begin, end - begin);
    // Without a space before it, the result at the start of a text may differ from that after an added token.
    const bool looked_up = segment.size() <= ShortKey::kMaxBytes && (segment.front() == ' ' || position == 0);
    const bool all = looked_up ? take_segment(ShortKey::of(text, begin, segment.size()), position, sink)
                               : take_stages(segment, position, sink);
    if (!all) return false;
    position += length_of(segment);
  }
  return true;
}

template <class Sink>
bool TextEncoder::take_segment(const ShortKey& segment, int32_t position, Sink& sink) {
  const auto origin = [position](uint32_t begin, uint32_t end) {
    return Offsets{position + static_cast<int32_t>(begin), position + static_cast<int32_t>(end)};
  };
  const uint64_t hash = segment.hash();
  if (const auto known = segments_.find(segment, hash); !known.empty()) {
    sink.push(known, origin);
    return sink.end_word();
  }
  SegmentSink collector(segment_pieces_, segment_words_, position);
  take_stages(segment.text(), position, collector);
  if (segment_words_.size() == 1) segments_.insert(segment, hash, segment_pieces_);
  size_t from = 0;
  for (const size_t to : segment_words_) {
    sink.push(std::span<const Piece>(segment_pieces_).subspan(from, to - from), origin);
    if (!sink.end_word()) return false;
    from = to;
  }
  return true;
}

template <class Sink>
bool TextEncoder::take_stages(std::string_view text, int32_t position, Sink& sink) {
  StagesTo<Sink> taker(*this, sink);
  return parts_.pass(text, position, Sink::kWithOffsets || !parts_.works_without_origins(), stages_, taker);
}

template <class Sink>
bool TextEncoder::take_words(const Words& words, Sink& sink) {
  for (const Words::Word& word : words.words) {
    const std::string_view text = words.text_of(word);
    // A part begins at the end of the previous one, because vanished characters have no offset.
    size_t offset = word.span.begin;
    for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = parts_.model->end_of_part(text, begin);
      offset += take_part(text.substr(begin, end - begin), sink, [&](uint32_t from, uint32_t to) {
        return words.text.has_origins() ? words.text.origin(offset + from, offset + to) : Offsets{};
      });
    }
    if (!sink.end_word()) return false;
  }
  return true;
}

// Returns the end of the part's last token.
template <class Sink, class Origin>
size_t TextEncoder::take_part(std::string_view part, Sink& sink, Origin&& origin) {
  size_t end = 0;
  const auto with_end = [&](uint32_t from, uint32_t to) {
    end = to;
    return origin(from, to);
  };
  const auto cut = [&]() -> std::span<const Piece> {
    parts_.model->tokenize(part, pieces_);
    return pieces_;
  };
  if (part.size() <= ShortKey::kMaxBytes) {
    const ShortKey key = ShortKey::of(part);
    push_word(key, key.hash(), words_, sink, with_end, cut);
  } else {
    sink.push(cut(), with_end);
  }
  return end;
}

}  // namespace portatune::text
