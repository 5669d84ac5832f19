// BERT's pre-tokenizer: splits at whitespace; each punctuation character is a word.
#pragma once

#include <cstddef>
#include <string_view>

#include "portatune/text/pretokenize/pre_tokenizer.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

/// Calls word(begin, end), with byte offsets into the normalized `text`, for each word in order, until a call returns
/// false. Returns true if it visited all words.
template <class Word>
bool for_each_bert_word(std::string_view text, Word&& word) {
  const UnicodeTables& tables = UnicodeTables::get();
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    const uint32_t properties = tables.properties(next_code_point(text, at));
    if ((properties & (kSpace | kPunctuation)) == 0) continue;
    if (begin < here && !word(begin, here)) return false;
    if ((properties & kPunctuation) != 0 && !word(here, at)) return false;
    begin = at;
  }
  return begin == text.size() || word(begin, text.size());
}

class BertPreTokenizer final : public Cutter {
 public:
  bool works_by_segment() const override { return true; }

 protected:
  void cut(std::string_view word, std::vector<Span>& pieces) const override {
    for_each_bert_word(word, [&](size_t begin, size_t end) {
      pieces.push_back({begin, end});
      return true;
    });
  }
};

}  // namespace portatune::text
