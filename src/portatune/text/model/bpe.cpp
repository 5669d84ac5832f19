#include "portatune/text/model/bpe.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr std::string_view kSpace = "\u2581";

}  // namespace

// Converts the characters of a word to symbols.
class Bpe::Speller {
 public:
  Speller(const Bpe& model, std::vector<Symbol>& symbols) : model_(model), symbols_(symbols) {}

  void spell(std::string_view word) {
    for (size_t at = 0; at < word.size();) {
      const size_t begin = at;
      next_code_point(word, at);
      take(word.substr(begin, at - begin), begin == 0, at == word.size());
    }
    flush_unknown();
  }

 private:
  void take(std::string_view character, bool is_first, bool is_last) {
    const auto bytes = static_cast<uint32_t>(character.size());
    const std::string_view token = with_affixes(character, is_first, is_last);
    const int32_t id = model_.vocabulary().pieces().find(token);
    if (id != PieceTable::kAbsent) {
      flush_unknown();
      symbols_.push_back({id, bytes});
    } else if (model_.options_.byte_fallback && model_.byte_tokens_.spell(token)) {
      // Earlier unknown characters stay after it, as in `tokenizers`.
      for (const char byte : token) symbols_.push_back({model_.byte_tokens_.id_of(byte), 1});
    } else if (model_.options_.unk_token) {
      if (!model_.unk_id_) throw_no_unknown_token();
      if (!model_.options_.fuse_unk) flush_unknown();
      unknown_bytes_ += bytes;
    }
  }

  [[noreturn]] void throw_no_unknown_token() const {
    throw CheckpointError(
        {.where = "tokenizer",
         .given = "a character outside of the vocabulary, which has no \"" + *model_.options_.unk_token + "\"",
         .expected = "the unknown token (unk_token) in the vocabulary"});
  }

  std::string_view with_affixes(std::string_view character, bool is_first, bool is_last) {
    const BpeOptions& options = model_.options_;
    const bool prefixed = !is_first && !options.continuing_subword_prefix.empty();
    const bool suffixed = is_last && !options.end_of_word_suffix.empty();
    if (!prefixed && !suffixed) return character;
    token_ = prefixed ? options.continuing_subword_prefix : "";
    token_ += character;
    if (suffixed) token_ += options.end_of_word_suffix;
    return token_;
  }

  void flush_unknown() {
    if (unknown_bytes_ > 0) symbols_.push_back({*model_.unk_id_, unknown_bytes_});
    unknown_bytes_ = 0;
  }

  const Bpe& model_;
  std::vector<Symbol>& symbols_;
  std::string token_;
  uint32_t unknown_bytes_ = 0;  // of unknown characters without a symbol so far
};

Bpe::Bpe(BpeOptions options, Vocabulary vocabulary, const Pairs& merges, const std::string& where)
    : Model(std::move(vocabulary)), options_(std::move(options)), byte_tokens_(this->vocabulary()) {
  if (options_.unk_token) unk_id_ = this->vocabulary().find(*options_.unk_token);
  has_parts_ = merges_stop_at_spaces(merges);
  merges_.reserve(merges.size());
  const size_t prefix = options_.continuing_subword_prefix.size();
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string left(merges[rank].first), right(merges[rank].second);
    const int32_t left_id = token_of_merge(left, rank, where), right_id = token_of_merge(right, rank, where);
    const std::string merged = left + (right.size() >= prefix ? right.substr(prefix) : right);
    merges_.insert(left_id, right_id, {static_cast<int32_t>(rank), token_of_merge(merged, rank, where)});
  }
}

int32_t Bpe::token_of_merge(const std::string& token, size_t rank, const std::string& where) const {
  if (const auto id = vocabulary().find(token)) return *id;
  throw CheckpointError(
      {.where = where,
       .given = "merge " + std::to_string(rank + 1) + " with the token \"" + token.substr(0, 60) + "\"",
       .expected = "tokens of the vocabulary"});
}

// A merge crosses the beginning of a word if its right half begins with a space and its left half does not end with
// one. Affixes, and whole words that are tokens, depend on the ends of a word.
bool Bpe::merges_stop_at_spaces(const Pairs& merges) const {
  if (options_.ignore_merges || !options_.continuing_subword_prefix.empty() || !options_.end_of_word_suffix.empty()) {
    return false;
  }
  if (!vocabulary().find(kSpace)) return false;
  return std::all_of(merges.begin(), merges.end(), [](const auto& merge) {
    return !merge.second.starts_with(kSpace) || merge.first.ends_with(kSpace);
  });
}

size_t Bpe::end_of_part(std::string_view word, size_t begin) const {
  if (!has_parts_) return word.size();
  while (word.substr(begin).starts_with(kSpace)) begin += kSpace.size();
  return std::min(word.find(kSpace, begin), word.size());
}

void Bpe::tokenize(std::string_view word, std::vector<Piece>& pieces) const {
  pieces.clear();
  if (options_.ignore_merges) {
    if (const int32_t id = vocabulary().pieces().find(word); id != PieceTable::kAbsent) {
      pieces.push_back({id, 0, static_cast<uint32_t>(word.size())});
      return;
    }
  }
  for (size_t begin = 0; begin < word.size();) {
    const size_t end = end_of_part(word, begin);
    tokenize_part(word, {begin, end}, pieces);
    begin = end;
  }
}

void Bpe::tokenize_part(std::string_view word, Span part, std::vector<Piece>& pieces) const {
  std::vector<Symbol> symbols;
  symbols.reserve(part.end - part.begin);
  Speller(*this, symbols).spell(word.substr(part.begin, part.end - part.begin));
  merge_word(merges_, symbols);
  // The first piece begins at the end of the previous one, because vanished characters have no offset.
  uint32_t begin = pieces.empty() ? 0 : pieces.back().end;
  for (const Symbol& symbol : symbols) {
    pieces.push_back({symbol.id, begin, begin + symbol.bytes});
    begin += symbol.bytes;
  }
}

}  // namespace portatune::text
