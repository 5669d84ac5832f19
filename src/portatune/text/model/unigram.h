// Unigram: splits a word into the pieces with the highest sum of scores.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/byte_tokens.h"
#include "portatune/text/model/model.h"
#include "portatune/text/model/piece_trie.h"
#include "portatune/text/normalized.h"

namespace portatune::text {

struct UnigramOptions {
  std::optional<int32_t> unk_id;
  bool byte_fallback = false;  ///< unknown characters become tokens <0x00> to <0xFF>
  bool rounds_sums = false;    ///< sums of scores are float32, as in SentencePiece; else float64, as in `tokenizers`
};

/// The Unigram model, with Viterbi search as in SentencePiece and `tokenizers`.
/// source    Kudo 2018, arXiv:1804.10959
class Unigram final : public Model {
 public:
  /// Creates the model.
  /// scores    of the tokens, by id: logarithms of probabilities
  /// errors    CheckpointError that names `where` if unk_id is not an id
  Unigram(const UnigramOptions& options, Vocabulary vocabulary, std::vector<double> scores, const std::string& where);

  /// Number of tokens in the file's list, which may contain a token twice.
  int64_t size() const override { return static_cast<int64_t>(scores_.size()); }

  /// The pieces of a word. Adjacent unknown characters are one token.
  /// errors    CheckpointError if a character is unknown and there is no unk_id
  void tokenize(std::string_view word, std::vector<Piece>& pieces) const override;

 private:
  struct Node;
  void find_best_paths(std::string_view word, std::span<Node> ends) const;
  int32_t unk_id() const;
  void push_unknown(std::string_view word, Span piece, std::vector<Piece>& reversed) const;

  UnigramOptions options_;
  std::vector<double> scores_;
  double unk_score_ = 0;
  PieceTrie trie_;
  ByteTokens byte_tokens_;
};

}  // namespace portatune::text
