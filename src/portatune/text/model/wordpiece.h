// WordPiece: splits a word, from its start, into the longest pieces in the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/model.h"
#include "portatune/text/model/short_key.h"

namespace portatune::text {

struct WordPieceOptions {
  std::string unk_token = "[UNK]";
  std::string continuing_subword_prefix = "##";  ///< prefix of pieces that do not begin a word
  int64_t max_input_chars_per_word = 100;        ///< longer words, in code points, are unknown
};

/// The WordPiece model: greedy longest match first, as in BERT's WordpieceTokenizer.
/// source    Schuster and Nakajima 2012
class WordPiece final : public Model {
 public:
  /// Creates the model.
  /// errors    CheckpointError that names `where` if the vocabulary lacks the unknown token
  WordPiece(WordPieceOptions options, Vocabulary vocabulary, const std::string& where);

  const WordPieceOptions& options() const { return options_; }
  int32_t unk_id() const { return unk_id_; }

  /// The pieces of a word; the unknown token if the word cannot be split into pieces.
  void tokenize(std::string_view word, std::vector<Piece>& pieces) const override;

 private:
  // Text is std::string_view or ShortKey, which is faster for short words.
  template <class Text>
  bool cut(const Text& word, std::vector<Piece>& pieces) const;

  WordPieceOptions options_;
  PieceTable continuing_;  // pieces that do not begin a word, without the prefix
  int32_t unk_id_;
};

}  // namespace portatune::text
