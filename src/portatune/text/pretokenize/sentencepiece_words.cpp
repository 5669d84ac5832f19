#include "portatune/text/pretokenize/sentencepiece_words.h"

#include <algorithm>

namespace portatune::text {
namespace {

// The size of the language code at the begin of a text; 0 if there is none.
size_t size_of_code(std::string_view text) {
  if (!text.starts_with(">>")) return 0;
  const size_t end = text.find("<<");
  return end == std::string_view::npos ? 0 : end + 2;
}

std::string_view without_spaces_at_end(std::string_view text) {
  const std::string_view mark = kVisibleSpace;
  for (;;) {
    if (text.ends_with(' ')) {
      text.remove_suffix(1);
    } else if (text.ends_with(mark)) {
      text.remove_suffix(mark.size());
    } else {
      return text;
    }
  }
}

}  // namespace

void SentencePieceWords::split(Words& words) const {
  Words result;
  result.text.clear_like(words.text);
  const auto append = [&](const Words::Word& word, Span span, bool is_marked) {
    const size_t begin = result.text.text().size();
    const Words::Word source = words.piece_of(word, span);
    if (is_marked) result.text.append(kVisibleSpace, words.text.origin_at(span.begin));
    result.text.append(words.text, span);
    result.words.push_back({{begin, result.text.text().size()}, source.origin});
  };
  for (const Words::Word& word : words.words) {
    const std::string_view all = words.text_of(word);
    const size_t code = size_of_code(all), first = word.span.begin;
    if (code > 0) append(word, {first, first + code}, false);
    const std::string_view text = without_spaces_at_end(all.substr(code));
    for (size_t at = 0; at < text.size();) {
      const size_t space = std::min(text.find(' ', at), text.size());
      if (space > at) append(word, {first + code + at, first + code + space}, true);
      at = space + 1;
    }
  }
  words = std::move(result);
}

}  // namespace portatune::text
