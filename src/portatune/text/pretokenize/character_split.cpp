#include "portatune/text/pretokenize/character_split.h"

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {

void PropertySplit::cut(std::string_view word, std::vector<Span>& pieces) const {
  const UnicodeTables& tables = UnicodeTables::get();
  if (behavior_ == SplitBehavior::kRemoved) {
    Span piece{0, 0};
    for (size_t at = 0; at < word.size();) {
      const size_t begin = at;
      const bool is_match = (tables.properties(next_code_point(word, at)) & property_) != 0;
      piece.end = is_match ? begin : at;
      if (is_match) {
        pieces.push_back(piece);
        piece = {at, at};
      }
    }
    pieces.push_back(piece);
    return;
  }
  std::vector<Span> matches;
  for (size_t at = 0; at < word.size();) {
    const size_t begin = at;
    if ((tables.properties(next_code_point(word, at)) & property_) != 0) matches.push_back({begin, at});
  }
  split_at(matches, word.size(), false, behavior_, pieces);
}

void Whitespace::cut(std::string_view word, std::vector<Span>& pieces) const {
  enum class Kind { kSpace, kWord, kOther };
  const UnicodeTables& tables = UnicodeTables::get();
  Kind before = Kind::kSpace;
  for (size_t at = 0; at < word.size();) {
    const size_t begin = at;
    const uint32_t properties = tables.properties(next_code_point(word, at));
    const Kind kind = (properties & kWord) != 0    ? Kind::kWord
                      : (properties & kSpace) != 0 ? Kind::kSpace
                                                   : Kind::kOther;
    if (kind != Kind::kSpace && kind == before) {
      pieces.back().end = at;
    } else if (kind != Kind::kSpace) {
      pieces.push_back({begin, at});
    }
    before = kind;
  }
}

void FixedLength::cut(std::string_view word, std::vector<Span>& pieces) const {
  for (size_t at = 0; at < word.size();) {
    const size_t begin = at;
    for (int64_t i = 0; i < length_ && at < word.size(); ++i) next_code_point(word, at);
    pieces.push_back({begin, at});
  }
}

}  // namespace portatune::text
