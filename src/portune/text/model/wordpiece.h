// WordPiece: a word is cut, from its start, into the longest pieces that the vocabulary has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portune/text/model/short_key.h"
#include "portune/text/model/vocabulary.h"

namespace portune::text {

struct WordPieceOptions {
  std::string unk_token = "[UNK]";
  std::string continuing_subword_prefix = "##";  ///< of pieces that do not begin a word
  int64_t max_input_chars_per_word = 100;        ///< longer words, in code points, are unknown
};

/// A token and the byte of its word at which it ends.
struct Piece {
  int32_t id;
  uint32_t end;
};

/// source    Schuster and Nakajima 2012; greedy longest match first as in BERT's WordpieceTokenizer
class WordPiece {
 public:
  /// errors    CheckpointError, naming `where`, if the vocabulary lacks the unknown token
  WordPiece(WordPieceOptions options, Vocabulary vocabulary, const std::string& where);

  const WordPieceOptions& options() const { return options_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  int32_t unk_id() const { return unk_id_; }

  /// Replaces `pieces` by those of the word, which is not empty; by the unknown token if there are none.
  void tokenize(std::string_view word, std::vector<Piece>& pieces) const;

 private:
  // Text is std::string_view or, faster for short words, ShortKey.
  template <class Text>
  bool cut(const Text& word, std::vector<Piece>& pieces) const;

  WordPieceOptions options_;
  Vocabulary vocabulary_;
  PieceTable continuing_;  // pieces that do not begin a word, without the prefix
  int32_t unk_id_;
};

}  // namespace portune::text
