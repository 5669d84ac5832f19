// Byte-pair encoding: merges the characters of a word, pair by pair, in the order in which the pairs were learnt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/text/model/byte_tokens.h"
#include "portatune/text/model/merge_word.h"
#include "portatune/text/model/model.h"
#include "portatune/text/normalized.h"

namespace portatune::text {

/// The options in tokenizer.json.
struct BpeOptions {
  std::optional<std::string> unk_token;   ///< without it, unknown characters vanish
  std::string continuing_subword_prefix;  ///< prefix of characters that do not begin a word
  std::string end_of_word_suffix;         ///< suffix of the character that ends a word
  bool fuse_unk = false;                  ///< adjacent unknown characters become one unknown token
  bool byte_fallback = false;             ///< unknown characters become tokens <0x00> to <0xFF>
  bool ignore_merges = false;             ///< a word that is a token becomes this token
};

/// Byte-pair encoding, as in `tokenizers`.
/// source    Sennrich et al. 2016, arXiv:1508.07909
class Bpe final : public Model {
 public:
  using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

  /// Creates the model.
  /// merges    pairs of tokens in the order in which they were learnt
  /// errors    CheckpointError that names `where` if the vocabulary lacks a token of a merge
  Bpe(BpeOptions options, Vocabulary vocabulary, const Pairs& merges, const std::string& where);

  const BpeOptions& options() const { return options_; }
  const Merges& merges() const { return merges_; }

  /// Parts end before SentencePiece's spaces, if no merge crosses them.
  size_t end_of_part(std::string_view word, size_t begin) const override;

  /// The pieces of a word.
  /// errors    CheckpointError if a character is unknown and the vocabulary lacks the unknown token
  void tokenize(std::string_view word, std::vector<Piece>& pieces) const override;

 private:
  class Speller;
  void tokenize_part(std::string_view word, Span part, std::vector<Piece>& pieces) const;
  bool merges_stop_at_spaces(const Pairs& merges) const;
  int32_t token_of_merge(const std::string& token, size_t rank, const std::string& where) const;

  BpeOptions options_;
  Merges merges_;
  ByteTokens byte_tokens_;
  std::optional<int32_t> unk_id_;
  bool has_parts_ = false;
};

}  // namespace portatune::text
