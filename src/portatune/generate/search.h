// How texts grow by a token at a time: what a search keeps, and how it chooses.
#pragma once

#include <memory>

#include "portatune/generate/settings.h"
#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::generate {

/// What the code of the programs depends on; other options are inputs.
struct SearchKind {
  bool penalises = false;  ///< tokens that were there
  bool draws = false;
  bool keeps_top_k = false, keeps_top_p = false;
  int64_t beams = 1;
  int64_t eos_tokens = 1;  ///< of beam search: how many there are at most; at least 1
};

/// Texts under way, the same number of rows for each prompt. Each text stands in a row of `tokens`, padded on the left;
/// keys and values of all its tokens but the last are in the cache.
struct State {
  Value tokens;   ///< int32 [rows, length]
  Value place;    ///< int32: where the next token goes, the same for all
  Value finite;   ///< bool: whether all logits were, so far
  Value padding;  ///< int32 [rows]: where the texts begin
  Value seen;     ///< bool [rows, vocab]: tokens of the text; absent where nothing asks for it
  Values search;  ///< what the search keeps besides
  models::KeyValueCache cache;

  /// All of them in this order.
  Values flat() const;
  static constexpr size_t kTokens = 0, kPlace = 1, kFinite = 2;  ///< in flat()
  static constexpr size_t first_of_search(const SearchKind& kind) { return kind.penalises ? 5 : 4; }
  /// `values` as a state of the same form.
  State with(const Values& values) const;
};

/// Plain search, and beam search.
class Search {
 public:
  virtual ~Search() = default;

  /// Rows for each prompt.
  virtual int64_t rows_per_prompt() const = 0;
  /// What is kept besides, before the first token.
  /// is_text  bool [prompts]: false for rows that only fill the batch
  virtual Values start(const Value& is_text, int64_t length) const = 0;
  /// Adds a token to each row. logits float32 [rows, vocab], of the token that goes to state.place
  virtual State add_token(const State& state, const Value& logits, const Settings& settings) const = 0;
  /// Whether a text is unfinished: a bool scalar.
  virtual Value goes_on(const State& state) const = 0;
};

std::unique_ptr<Search> make_search(const SearchKind& kind);

// Shared by the searches.

/// An int32 scalar.
Value scalar(int64_t value);
Value all(const Value& x);  ///< of bools of any shape
Value any(const Value& x);  ///< likewise
Value all_finite(const Value& x);
/// Whether each id is one of eos_token_id.
Value ends_text(const Value& ids, const Value& eos_token_id);
/// Writes ids [rows] to column `place` of tokens [rows, length].
Value write_column(const Value& tokens, const Value& ids, const Value& place);
/// seen, with ids [rows] added.
Value see(const Value& seen, const Value& ids);

}  // namespace portatune::generate
