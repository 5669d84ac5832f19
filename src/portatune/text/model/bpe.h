// Byte-pair encoding: a word's characters are merged, pair by pair, in the order in which the pairs were learnt.
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

/// As in tokenizer.json.
struct BpeOptions {
  std::optional<std::string> unk_token;   ///< without one, unknown characters vanish
  std::string continuing_subword_prefix;  ///< of characters that do not begin a word
  std::string end_of_word_suffix;         ///< of the character that ends a word
  bool fuse_unk = false;                  ///< unknown characters side by side are one unknown token
  bool byte_fallback = false;             ///< unknown characters are spelled by <0x00> to <0xFF>
  bool ignore_merges = false;             ///< a word that is a token is taken as such
};

/// source    Sennrich et al. 2016, arXiv:1508.07909, as `tokenizers` has it
class Bpe final : public Model {
 public:
  using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

  /// merges    pairs of tokens, the first learnt first
  /// errors    CheckpointError, naming `where`, if a token of a merge is not in the vocabulary
  Bpe(BpeOptions options, Vocabulary vocabulary, const Pairs& merges, const std::string& where);

  const BpeOptions& options() const { return options_; }
  const Merges& merges() const { return merges_; }

  /// Before SentencePiece's spaces, if no merge reaches over them.
  size_t end_of_part(std::string_view word, size_t begin) const override;

  /// errors    CheckpointError if a character is unknown and the unknown token is not in the vocabulary
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
