#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

void Words::assign_whole() {
  words.clear();
  if (!text.text().empty()) words.push_back({{0, text.text().size()}, text.first()});
}

Words::Word Words::piece_of(const Word& word, Span span) const {
  if (text.has_origins()) return {span, text.origin_at(span.begin).begin};
  return {span, span.begin == word.span.begin ? word.origin : 1};
}

void Cutter::split(Words& words) const {
  std::vector<Words::Word> result;
  result.reserve(words.words.size());
  std::vector<Span> pieces;
  for (const Words::Word& word : words.words) {
    pieces.clear();
    cut(words.text_of(word), pieces);
    for (const Span& piece : pieces) {
      if (piece.begin == piece.end) continue;
      result.push_back(words.piece_of(word, {word.span.begin + piece.begin, word.span.begin + piece.end}));
    }
  }
  words.words = std::move(result);
}

}  // namespace portatune::text
