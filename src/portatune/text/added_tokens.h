// Tokens that are found in the text before the model sees it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/text/model/piece_table.h"

namespace portatune::text {

/// As in tokenizer.json.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  ///< not beside a letter, digit or underscore
  bool lstrip = false;       ///< takes the white space before it along
  bool rstrip = false;       ///< takes the white space after it along
  bool normalized = false;   ///< looked for in the normalized text, in its own normalized form
  bool special = false;      ///< left out by skip_special_tokens
};

/// Finds added tokens: at each place the longest, from left to right, without overlap.
class AddedTokens {
 public:
  struct Match {
    size_t begin, end;  ///< bytes of the text
    int32_t id;
  };

  /// Adds a token that is to be found as `pattern`, which is not empty.
  void add(std::string_view pattern, const AddedToken& token);

  bool empty() const { return tokens_.empty(); }

  /// Replaces `matches` by those in `text`, in order. White space between two may count as part of both.
  void find(std::string_view text, std::vector<Match>& matches) const;

 private:
  struct Rules {
    int32_t id;
    bool single_word, lstrip, rstrip;
  };

  size_t next_candidate(std::string_view text, size_t from) const;
  const Rules* longest_at(std::string_view text, size_t at, size_t& size) const;

  std::vector<Rules> tokens_;
  PieceTable patterns_;                         // to indices of tokens_
  std::array<std::vector<size_t>, 256> sizes_;  // of the patterns that begin with a byte, longest first
  std::string first_bytes_;                     // those bytes
};

}  // namespace portatune::text
