// Searches: the state of growing texts, and the choice of each next token.
#pragma once

#include <memory>

#include "portatune/generate/settings.h"
#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::generate {

/// The state of growing texts, with the same number of rows for each prompt. Each text is a row of `tokens`, padded on
/// the left. The cache holds keys and values of all its tokens but the last.
struct State {
  Value position;  ///< int32: position of the next token, the same for all rows; first for Lowering::order_after()
  Value tokens;    ///< int32 [rows, length]
  Value finite;    ///< bool: true if all logits were finite so far
  Value padding;   ///< int32 [rows]: positions of padding before each text
  Value seen;      ///< bool [rows, vocab]: tokens that occur in the text; absent without a penalty
  Value logprob;   ///< float32 [rows]: sum over the new tokens; only of plain searches with scores
  Values search;   ///< state of the search
  models::KeyValueCache cache;

  /// All values, in the order of declaration.
  Values flat() const;
  static constexpr size_t kPosition = 0, kTokens = 1, kFinite = 2;  ///< indices in flat()
  static constexpr size_t first_of_search(const SearchKind& kind) {
    return 4 + (kind.penalises ? 1 : 0) + (kind.scores && kind.beams == 1 ? 1 : 0);
  }
  /// A state of the same form that holds `values`.
  State with(const Values& values) const;
};

/// The strategy that chooses tokens: plain search or beam search.
class Search {
 public:
  virtual ~Search() = default;

  /// Number of rows for each prompt.
  virtual int64_t rows_per_prompt() const = 0;
  /// The initial State::search, before the first token.
  /// is_text  bool [prompts]: false for rows that only fill the batch
  virtual Values start(const Value& is_text, int64_t length) const = 0;
  /// Adds a token to each row. logits: float32 [rows, vocab], for position state.position.
  virtual State add_token(const State& state, const Value& logits, const Settings& settings) const = 0;
  /// True while any text is unfinished: a bool scalar.
  virtual Value unfinished(const State& state) const = 0;
};

std::unique_ptr<Search> make_search(const SearchKind& kind);

// Functions that the searches share.

/// An int32 scalar.
Value scalar(int64_t value);
Value all(const Value& x);  ///< over bools of any shape
Value any(const Value& x);  ///< likewise
Value all_finite(const Value& x);
/// Repeats each row n times: [prompts, ...] -> [prompts * n, ...].
Value repeat_rows(const Value& x, int64_t n);
/// Processes the logits, or log-probabilities, of the next token in transformers' order, as the kind of search says.
/// logits  float32 [rows, vocab]
Value process(const SearchKind& kind, const State& state, const Value& logits, const Settings& settings);
/// True for each id that is one of eos_token_id.
Value ends_text(const Value& ids, const Value& eos_token_id);
/// Writes ids [rows] to column `position` of tokens [rows, length].
Value write_column(const Value& tokens, const Value& ids, const Value& position);
/// Adds ids [rows] to `seen`.
Value see(const Value& seen, const Value& ids);

}  // namespace portatune::generate
