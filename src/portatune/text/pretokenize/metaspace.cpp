#include "portatune/text/pretokenize/metaspace.h"

#include <algorithm>

namespace portatune::text {
namespace {

// Splits before each `mark` except the first character. Adjacent marks are separate words.
template <class Take>
void cut_before(std::string_view mark, std::string_view text, Take&& take) {
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(mark, begin + 1), text.size());
    take(begin, end);
    begin = end;
  }
}

}  // namespace

void Metaspace::split(Words& words) const {
  const std::string_view mark = options_.replacement;
  Words result;
  result.text.clear_like(words.text);
  result.text.reserve(words.text.text().size() + mark.size() * (words.words.size() + 1));
  for (const Words::Word& word : words.words) {
    const std::string_view text = words.text_of(word);
    const size_t begin = result.text.text().size();
    const bool marked = text.starts_with(' ') || text.starts_with(mark);
    const bool wanted = options_.prepend_scheme == PrependScheme::kAlways ||
                        (options_.prepend_scheme == PrependScheme::kFirst && word.origin == 0);
    if (wanted && !marked) result.text.append(mark, words.text.origin_at(word.span.begin));
    for (size_t at = word.span.begin; at < word.span.end;) {
      const size_t space = std::min(words.text.text().find(' ', at), word.span.end);
      result.text.append(words.text, {at, space});
      if (space < word.span.end) result.text.append(mark, words.text.origin_at(space));
      at = space + 1;
    }
    const Words::Word whole{{begin, result.text.text().size()}, word.origin};
    if (!options_.split) {
      result.words.push_back(whole);
      continue;
    }
    cut_before(mark, result.text_of(whole), [&](size_t from, size_t to) {
      result.words.push_back(result.piece_of(whole, {begin + from, begin + to}));
    });
  }
  words = std::move(result);
}

}  // namespace portatune::text
