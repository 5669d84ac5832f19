#include "portatune/text/model/unigram.h"

#include <algorithm>
#include <array>
#include <limits>

#include "portatune/error.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr double kUnknownPenalty = 10;  // below the lowest score of the vocabulary

size_t size_of_code_point(std::string_view text, size_t at) {
  const size_t begin = at;
  next_code_point(text, at);
  return at - begin;
}

}  // namespace

// The best way to split the text before an offset: its last piece and its score.
struct Unigram::Node {
  double score = 0;
  int32_t id = 0;
  int32_t begin = -1;  // of the last piece; -1: no piece ends here

  void offer(double offered, int32_t offered_id, size_t offered_begin, bool rounds) {
    if (rounds) offered = static_cast<float>(offered);
    if (begin >= 0 && !(offered > score)) return;
    score = offered;
    id = offered_id;
    begin = static_cast<int32_t>(offered_begin);
  }
};

Unigram::Unigram(const UnigramOptions& options, Vocabulary vocabulary, std::vector<double> scores,
                 const std::string& where)
    : Model(std::move(vocabulary)),
      options_(options),
      scores_(std::move(scores)),
      trie_(this->vocabulary()),
      byte_tokens_(this->vocabulary()) {
  if (options_.unk_id && *options_.unk_id >= std::ssize(scores_)) {
    throw CheckpointError({.where = where,
                           .given = "unk_id " + std::to_string(*options_.unk_id),
                           .expected = "the id of one of the " + std::to_string(scores_.size()) + " tokens"});
  }
  double lowest = std::numeric_limits<double>::infinity();
  for (const double score : scores_) lowest = std::min(lowest, score);
  unk_score_ = lowest - kUnknownPenalty;
}

int32_t Unigram::unk_id() const {
  if (options_.unk_id) return *options_.unk_id;
  throw CheckpointError({.where = "tokenizer",
                         .given = "a character outside of the vocabulary, which has no unknown token",
                         .expected = "an unk_id in the model"});
}

// Finds the best way to split the text before each byte of the word, and before its end.
void Unigram::find_best_paths(std::string_view word, std::span<Node> ends) const {
  for (size_t begin = 0; begin < word.size();) {
    const size_t character = size_of_code_point(word, begin);
    const double score = ends[begin].score;
    bool has_character = false;
    trie_.for_each_prefix(word, begin, [&](size_t size, int32_t id) {
      ends[begin + size].offer(score + scores_[static_cast<size_t>(id)], id, begin, options_.rounds_sums);
      has_character |= size == character;
    });
    if (!has_character) {
      ends[begin + character].offer(score + unk_score_, unk_id(), begin, options_.rounds_sums);
    }
    begin += character;
  }
}

void Unigram::tokenize(std::string_view word, std::vector<Piece>& pieces) const {
  pieces.clear();
  std::array<Node, 64> ends_of_short;
  std::vector<Node> ends_of_long(word.size() < ends_of_short.size() ? 0 : word.size() + 1);
  const std::span<Node> ends =
      ends_of_long.empty() ? std::span<Node>(ends_of_short).first(word.size() + 1) : std::span<Node>(ends_of_long);
  find_best_paths(word, ends);
  size_t unknown_end = 0;  // end of a run of unknown characters; 0 if there is none
  for (size_t end = word.size(); end > 0;) {
    const auto begin = static_cast<size_t>(ends[end].begin);
    const bool unknown = options_.unk_id && ends[end].id == *options_.unk_id;
    if (unknown && unknown_end == 0) unknown_end = end;
    if (!unknown) {
      if (unknown_end != 0) push_unknown(word, {end, unknown_end}, pieces);
      unknown_end = 0;
      pieces.push_back({ends[end].id, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    }
    end = begin;
  }
  if (unknown_end != 0) push_unknown(word, {0, unknown_end}, pieces);
  std::reverse(pieces.begin(), pieces.end());
}

// Adds unknown characters, which may form a token together.
void Unigram::push_unknown(std::string_view word, Span piece, std::vector<Piece>& reversed) const {
  const auto begin = static_cast<uint32_t>(piece.begin), end = static_cast<uint32_t>(piece.end);
  const std::string_view text = word.substr(piece.begin, piece.end - piece.begin);
  const int32_t id = vocabulary().pieces().find(text);
  if (id == PieceTable::kAbsent && options_.byte_fallback && byte_tokens_.spell(text)) {
    for (size_t i = text.size(); i > 0; --i) reversed.push_back({byte_tokens_.id_of(text[i - 1]), begin, end});
    return;
  }
  reversed.push_back({id == PieceTable::kAbsent ? unk_id() : id, begin, end});
}

}  // namespace portatune::text
