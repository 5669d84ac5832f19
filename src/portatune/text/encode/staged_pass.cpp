// The stages before the model, one after the other.
#include "portatune/text/parts.h"

namespace portatune::text {

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

// Splits a part of the normalized text into words.
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

}  // namespace portatune::text
