// Added tokens, which are found in the text before the model sees it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/piece_table.h"

namespace portatune::text {

/// An added token, as in tokenizer.json.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  ///< no match beside a letter, digit or underscore
  bool lstrip = false;       ///< the match includes whitespace before it
  bool rstrip = false;       ///< the match includes whitespace after it
  bool normalized = false;   ///< searched for in the normalized text, in its own normalized form
  bool special = false;      ///< left out by skip_special_tokens
};

/// Finds added tokens from left to right, without overlap: at each offset the longest.
class AddedTokens {
 public:
  struct Match {
    size_t begin, end;  ///< bytes of the text
    int32_t id;
  };

  /// Adds a token that matches `pattern`, which must not be empty.
  void add(std::string_view pattern, const AddedToken& token);

  bool empty() const { return tokens_.empty(); }

  /// Replaces `matches` by the matches in `text`, in order. Whitespace between two of them may count as part of both.
  void find(std::string_view text, std::vector<Match>& matches) const;

 private:
  struct Rules {
    int32_t id;
    bool single_word, lstrip, rstrip;
  };

  size_t next_candidate(std::string_view text, size_t from) const;
  const Rules* longest_at(std::string_view text, size_t at, size_t& size) const;

  std::vector<Rules> tokens_;
  PieceTable patterns_;                         // indices of tokens_
  std::array<std::vector<size_t>, 256> sizes_;  // by first byte: sizes of the patterns, longest first
  std::string first_bytes_;                     // first bytes of all patterns
};

}  // namespace portatune::text
