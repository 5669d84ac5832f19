// The stages one after the other, with offsets and word ids.
#include "portune/text/parts.h"
#include "portune/text/pretokenize/bert.h"
#include "portune/text/unicode/utf8.h"

namespace portune::text {
namespace {

// Collects the tokens of one text.
class Collector {
 public:
  Collector(const Tokenizer::Parts& parts, size_t limit) : parts_(parts), limit_(limit) {}

  // Takes a piece of the text, in which `first` code points come before it, that holds no raw added token.
  bool take_text(std::string_view text, int32_t first) {
    normalized_.clear();
    parts_.normalizer.normalize(text, first, normalized_);
    size_t at = 0;
    parts_.normalized_tokens.find(normalized_.text, matches_);
    for (const AddedTokens::Match& match : matches_) {
      if (at < match.begin && !take_words(at, match.begin)) return false;
      take_token(match.id, origin(match.begin, match.end));
      at = match.end;
    }
    return take_words(at, normalized_.text.size());
  }

  // Added tokens count, but do not end the text: only a word does. So has it `tokenizers`.
  void take_token(int32_t id, Offsets offsets) {
    push(id, offsets);
    ++word_;
  }

  Sequence finish() && { return std::move(sequence_); }

 private:
  bool take_words(size_t begin, size_t end) {
    const std::string_view text = std::string_view(normalized_.text).substr(begin, end - begin);
    return for_each_bert_word(text, [&](size_t word_begin, size_t word_end) {
      parts_.model.tokenize(text.substr(word_begin, word_end - word_begin), pieces_);
      size_t from = begin + word_begin;
      for (const Piece& piece : pieces_) {
        const size_t to = begin + word_begin + piece.end;
        push(piece.id, origin(from, to));
        from = to;
      }
      ++word_;
      return sequence_.ids.size() < limit_;
    });
  }

  // Where the bytes [begin, end) of the normalized text, at least one, come from.
  Offsets origin(size_t begin, size_t end) const {
    return {normalized_.origins[begin].begin, normalized_.origins[end - 1].end};
  }

  void push(int32_t id, Offsets offsets) {
    sequence_.ids.push_back(id);
    sequence_.offsets.push_back(offsets);
    sequence_.word_ids.push_back(word_);
  }

  const Tokenizer::Parts& parts_;
  const size_t limit_;
  Normalized normalized_;
  std::vector<AddedTokens::Match> matches_;
  std::vector<Piece> pieces_;
  Sequence sequence_;
  int32_t word_ = 0;
};

}  // namespace

Sequence Tokenizer::Parts::encode(std::string_view text, size_t limit) const {
  require_utf8(text);
  std::vector<AddedTokens::Match> matches;
  raw_tokens.find(text, matches);
  Collector collector(*this, limit);
  size_t at = 0;
  int32_t position = 0;  // code points before `at`
  for (const AddedTokens::Match& match : matches) {
    if (at < match.begin) {
      if (!collector.take_text(text.substr(at, match.begin - at), position)) return std::move(collector).finish();
      position += static_cast<int32_t>(count_code_points(text.substr(at, match.begin - at)));
    }
    const auto size = static_cast<int32_t>(count_code_points(text.substr(match.begin, match.end - match.begin)));
    collector.take_token(match.id, {position, position + size});
    position += size;
    at = match.end;
  }
  collector.take_text(text.substr(at), position);
  return std::move(collector).finish();
}

}  // namespace portune::text
