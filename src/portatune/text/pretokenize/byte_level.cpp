#include "portatune/text/pretokenize/byte_level.h"

#include "portatune/text/byte_level.h"
#include "portatune/text/pattern/word_scanner.h"

namespace portatune::text {
namespace {

// Appends a piece of `from`, byte by byte, as a word.
void append_word(const Normalized& from, Span piece, int32_t origin, Words& words) {
  const size_t begin = words.text.text().size();
  for (size_t at = piece.begin; at < piece.end; ++at) {
    words.text.append(text_of_byte(static_cast<unsigned char>(from.text()[at])), from.origin_at(at));
  }
  words.words.push_back({{begin, words.text.text().size()}, origin});
}

}  // namespace

void ByteLevelPreTokenizer::split(Words& words) const {
  Words result;
  result.text.clear_like(words.text);
  Words word;  // one word of `words`
  for (const Words::Word& w : words.words) {
    word.text.clear_like(words.text);
    word.text.append(words.text, w.span);
    if (options_.add_prefix_space && !word.text.text().starts_with(' ')) word.text.prepend(" ");
    const Words::Word whole{{0, word.text.text().size()}, w.origin};
    if (!options_.use_regex) {
      append_word(word.text, whole.span, w.origin, result);
      continue;
    }
    for_each_word<WordRules::kGpt2>(word.text.text(), [&](size_t begin, size_t end) {
      append_word(word.text, {begin, end}, word.piece_of(whole, {begin, end}).origin, result);
      return true;
    });
  }
  words = std::move(result);
}

}  // namespace portatune::text
