// The stages one after the other, with offsets and word ids.
#include "portune/text/parts.h"
#include "portune/text/pretokenize/byte_level.h"
#include "portune/text/unicode/utf8.h"

namespace portune::text {
namespace {

// Collects the tokens of one text.
class Collector final : public StageSink {
 public:
  Collector(const Tokenizer::Parts& parts, size_t limit) : parts_(parts), limit_(limit) {}

  bool take_words(const Words& words) override {
    for (const Words::Word& word : words.words) {
      parts_.model->tokenize(words.text_of(word), pieces_);
      for (const Piece& piece : pieces_) {
        const Offsets origin = words.text.origin(word.span.begin + piece.begin, word.span.begin + piece.end);
        push(piece.id, origin, parts_.model->vocabulary().token(piece.id));
      }
      ++word_;
      if (sequence_.ids.size() >= limit_) return false;
    }
    return true;
  }

  // Added tokens count, but do not end the text: only a word does. So has it `tokenizers`.
  void take_token(int32_t id, Offsets offsets, std::string_view text) override {
    push(id, offsets, text);
    ++word_;
  }

  Sequence finish() && { return std::move(sequence_); }

 private:
  void push(int32_t id, Offsets offsets, std::string_view token) {
    for (const TrimOffsets& trim : parts_.post_processor.trims) {
      offsets = trim.trimmed(offsets, token, sequence_.ids.size());
    }
    sequence_.ids.push_back(id);
    sequence_.offsets.push_back(offsets);
    sequence_.word_ids.push_back(word_);
  }

  const Tokenizer::Parts& parts_;
  const size_t limit_;
  std::vector<Piece> pieces_;
  Sequence sequence_;
  int32_t word_ = 0;
};

}  // namespace

bool Tokenizer::Parts::pass(std::string_view text, int32_t first, bool with_origins, Scratch& scratch,
                            StageSink& sink) const {
  Normalized& normalized = scratch.normalized;
  normalized.assign(text, first, with_origins);
  if (normalizer != nullptr) normalizer->normalize(normalized);
  normalized_tokens.find(normalized.text(), scratch.matches);
  size_t at = 0;
  for (const AddedTokens::Match& match : scratch.matches) {
    if (at < match.begin && !pass_words({at, match.begin}, scratch, sink)) return false;
    const Offsets origin = with_origins ? normalized.origin(match.begin, match.end) : Offsets{};
    sink.take_token(match.id, origin, std::string_view(normalized.text()).substr(match.begin, match.end - match.begin));
    at = match.end;
  }
  return at == normalized.text().size() || pass_words({at, normalized.text().size()}, scratch, sink);
}

// Cuts a piece of the normalized text into words.
bool Tokenizer::Parts::pass_words(Span piece, Scratch& scratch, StageSink& sink) const {
  const Normalized& normalized = scratch.normalized;
  Words& words = scratch.words;
  words.text.clear_like(normalized);
  words.text.append(normalized, piece);
  const int32_t first = normalized.has_origins() ? normalized.origin_at(piece.begin).begin
                        : piece.begin > 0        ? 1
                                                 : normalized.first();
  if (scratch.prefix_space && !words.text.text().starts_with(' ')) words.text.prepend(" ");
  words.words.assign(1, {{0, words.text.text().size()}, first});
  if (pre_tokenizer != nullptr) pre_tokenizer->split(words);
  return sink.take_words(words);
}

bool Tokenizer::Parts::works_without_origins() const {
  return normalizer == nullptr || pre_tokenizer == nullptr || !pre_tokenizer->needs_origins();
}

namespace {

// All stages for one text.
Sequence encode_text(const Tokenizer::Parts& parts, std::string_view text, size_t limit,
                     Tokenizer::Parts::Scratch& scratch) {
  require_utf8(text);
  std::vector<AddedTokens::Match> matches;
  parts.raw_tokens.find(text, matches);
  Collector collector(parts, limit);
  size_t at = 0;
  int32_t position = 0;  // code points before `at`
  for (const AddedTokens::Match& match : matches) {
    const std::string_view before = text.substr(at, match.begin - at);
    if (!before.empty() && !parts.pass(before, position, true, scratch, collector)) {
      return std::move(collector).finish();
    }
    position += static_cast<int32_t>(count_code_points(before));
    const std::string_view token = text.substr(match.begin, match.end - match.begin);
    const auto size = static_cast<int32_t>(count_code_points(token));
    collector.take_token(match.id, {position, position + size}, token);
    position += size;
    at = match.end;
  }
  parts.pass(text.substr(at), position, true, scratch, collector);
  return std::move(collector).finish();
}

}  // namespace

Sequence Tokenizer::Parts::encode(std::string_view text, size_t limit) const {
  Scratch scratch;
  return encode_text(*this, text, limit, scratch);
}

Sequence Tokenizer::Parts::encode_words(std::span<const std::string> words) const {
  Scratch scratch;
  scratch.prefix_space = dynamic_cast<const ByteLevelPreTokenizer*>(pre_tokenizer.get()) != nullptr;
  Sequence all;
  for (size_t i = 0; i < words.size(); ++i) {
    const Sequence word = encode_text(*this, words[i], kNoLimit, scratch);
    all.ids.insert(all.ids.end(), word.ids.begin(), word.ids.end());
    all.offsets.insert(all.offsets.end(), word.offsets.begin(), word.offsets.end());
    all.word_ids.resize(all.ids.size(), static_cast<int32_t>(i));
  }
  return all;
}

}  // namespace portune::text
