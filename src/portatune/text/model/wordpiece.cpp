#include "portatune/text/model/wordpiece.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// The longest piece of `table` in `text` at `begin`: its id and size, or kAbsent. Boundaries of code points need no
// check: pieces are UTF-8, so a piece that ends within a code point of `text` does not match.
struct Match {
  int32_t id;
  size_t size;
};
template <class Text>
Match longest_match(const PieceTable& table, const Text& text, size_t begin) {
  for (size_t size = std::min(text.size() - begin, table.longest()); size > 0; --size) {
    const int32_t id = table.find(text.substr(begin, size));
    if (id != PieceTable::kAbsent) return {id, size};
  }
  return {PieceTable::kAbsent, 0};
}

}  // namespace

WordPiece::WordPiece(WordPieceOptions options, Vocabulary vocabulary, const std::string& where)
    : Model(std::move(vocabulary)), options_(std::move(options)) {
  const Vocabulary& tokens = this->vocabulary();
  const auto unk_id = tokens.find(options_.unk_token);
  if (!unk_id) {
    throw CheckpointError(
        {.where = where,
         .given = "a vocabulary of " + std::to_string(tokens.size()) + " tokens without \"" + options_.unk_token + "\"",
         .expected = "the unknown token (unk_token) in the vocabulary"});
  }
  unk_id_ = *unk_id;
  const std::string& prefix = options_.continuing_subword_prefix;
  for (int32_t id = 0; id < tokens.id_limit(); ++id) {
    const std::string_view token = tokens.token(id);
    if (token.size() > prefix.size() && token.starts_with(prefix)) {
      continuing_.insert(token.substr(prefix.size()), *tokens.find(token));
    }
  }
}

void WordPiece::tokenize(std::string_view word, std::vector<Piece>& pieces) const {
  pieces.clear();
  const auto max_chars = static_cast<size_t>(options_.max_input_chars_per_word);
  const bool too_long = word.size() > max_chars && count_code_points(word) > max_chars;
  const auto cut_up = [&] {
    return word.size() <= ShortKey::kMaxBytes ? cut(ShortKey::of(word), pieces) : cut(word, pieces);
  };
  if (too_long || !cut_up()) pieces.assign(1, {unk_id_, 0, static_cast<uint32_t>(word.size())});
}

template <class Text>
bool WordPiece::cut(const Text& word, std::vector<Piece>& pieces) const {
  for (size_t begin = 0; begin < word.size();) {
    const Match match = longest_match(begin == 0 ? vocabulary().pieces() : continuing_, word, begin);
    if (match.id == PieceTable::kAbsent) return false;
    const size_t end = begin + match.size;
    pieces.push_back({match.id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    begin = end;
  }
  return true;
}

}  // namespace portatune::text
