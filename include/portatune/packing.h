// Several texts in a row: no position is padding that a short text can fill.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// How many examples a packed batch has.
enum class Packing {
  kExactExamples,  ///< always the same number, packed inside of the batch
  kTokenBudget     ///< as many as fill its rows
};

/// The column that says how long the texts of an example are: 1 for tokens, 0 for padding at the end. In a packed batch
/// int32 [rows, length]: the number of the text that a token belongs to, from 1 on; 0 for padding.
inline constexpr std::string_view kAttentionMask = "attention_mask";
/// Of packed batches, int32 [rows, length]: the place of a token in its text, from 0 on.
inline constexpr std::string_view kPositionIds = "position_ids";
/// Of packed batches, int32 [texts, length]: where the tokens of each text stand, counted along the rows, one after the
/// other; -1 where a text has ended. [parts, texts, length] of a batch in several parts, counted along the rows of
/// each.
inline constexpr std::string_view kTokenPlaces = "token_places";

/// The shapes of packed batches.
struct PackedShapes {
  Packing packing = Packing::kExactExamples;
  /// In each batch, or at most: a batch with fewer is filled up with examples of weight 0.
  int64_t examples = 0;
  /// The numbers of rows that batches may have. With a token budget the largest is that of all.
  std::vector<int64_t> rows;
  int64_t length = 0;  ///< tokens of a row, and the most that a text may have
  /// Examples among which those of a batch are chosen; those that wait are chosen before others, in their order, if
  /// they fit. More: fuller rows; fewer: less memory.
  int64_t window = 0;
  /// Packed batches side by side in one: as many as a training step divides its batch into, for devices and
  /// micro-batches. `examples` and `rows` are those of a part.
  int64_t parts = 1;
};

struct PackOptions {
  PackedShapes shapes;
  std::vector<std::string> columns;          ///< int32, with a value for each token; beside kAttentionMask
  std::map<std::string, double> pad_values;  ///< of these; and of other columns, 1-D, to be padded to `length`
};

/// What to expect of packed batches.
struct PackingPlan {
  PackedShapes shapes;
  double examples_per_batch = 0;  ///< on average
  double useful = 0;              ///< share of the tokens among all positions
};

/// Tokens of each text of an example, which usually has one.
using TextLengths = std::vector<int64_t>;

/// Batches of `examples` examples, in rows of `length` tokens: as few rows as nearly all batches need, and one smaller
/// number, if that saves much. Tried with random batches of the sample.
/// sample  of the examples; at least one
/// errors  UsageError for sizes below 1, no sample, or texts longer than `length`
PackingPlan plan_exact_examples(const std::vector<TextLengths>& sample, int64_t examples, int64_t length);
/// Batches of `tokens` tokens, in rows of `length`: at least one, and as many as a single example of the sample needs.
PackingPlan plan_token_budget(const std::vector<TextLengths>& sample, int64_t tokens, int64_t length);

}  // namespace portatune::data
