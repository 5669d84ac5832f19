// Padding and packing of texts: the lengths of batches, and several texts in one row.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// The number of examples of each length.
using LengthCounts = std::map<int64_t, int64_t>;

/// Positions of all examples, padding included, if each is padded to the smallest of `lengths` that holds it.
/// lengths  ascending
/// errors   UsageError if an example is longer than all of them
int64_t padded_positions(const LengthCounts& examples, std::span<const int64_t> lengths);

/// At most `count` lengths with the fewest padded_positions(), ascending; the last is the length of the longest
/// example. Takes count x (number of different lengths)^2 steps.
/// errors  UsageError for a count below 1, or no examples
std::vector<int64_t> choose_lengths(const LengthCounts& examples, int64_t count);

/// The lengths of an example with two texts that are padded apart.
struct LengthPair {
  int64_t source = 0, target = 0;
  auto operator<=>(const LengthPair&) const = default;
};
/// The number of examples of each pair of lengths.
using PairCounts = std::map<LengthPair, int64_t>;

/// The cost of all examples, padding included, if each is padded to the first of `pairs` that holds it: the number of
/// positions, those of targets counted twice, since a decoder computes about twice as much for each.
/// errors  UsageError if no pair holds an example
int64_t padded_cost(const PairCounts& examples, std::span<const LengthPair> pairs);

/// At most `count` pairs with a low padded_cost(). Each is at least as long in both texts as the one before; the last
/// holds all examples. They are the best among 32 lengths of each text.
/// errors  UsageError for a count below 1, or no examples
std::vector<LengthPair> choose_pairs(const PairCounts& examples, int64_t count);

/// The number of examples in a packed batch.
enum class Packing {
  kExactExamples,  ///< a fixed number, packed within the batch
  kTokenBudget     ///< as many as fill the rows
};

/// The attention mask of an example, which gives the lengths of its texts: 1 for tokens, 0 for padding at the end. In a
/// packed batch int32 [rows, length]: the number of the text that a token belongs to, from 1; 0 for padding.
inline constexpr std::string_view kAttentionMask = "attention_mask";
/// Column of packed batches, int32 [rows, length]: the position of a token in its text, from 0.
inline constexpr std::string_view kPositionIds = "position_ids";
/// Column of packed batches, int32 [texts, length]: the index of each token of each text in the flattened rows; -1
/// after the end of a text. [parts, texts, length] for a batch in several parts, with indices into the rows of each
/// part.
inline constexpr std::string_view kTokenPlaces = "token_places";

/// The shapes of packed batches.
struct PackedShapes {
  Packing packing = Packing::kExactExamples;
  /// Maximal number of examples in a batch; a batch with fewer has filler examples of weight 0.
  int64_t examples = 0;
  /// The numbers of rows that a batch may have. With a token budget all batches have the largest.
  std::vector<int64_t> rows;
  int64_t length = 0;  ///< tokens of a row, and maximal length of a text
  /// Examples among which those of a batch are chosen; those that have waited longest come first if they fit. A larger
  /// window fills the rows better; a smaller one needs less memory.
  int64_t window = 0;
  /// Packed batches side by side in one: one for each device and micro-batch of a training step. `examples` and `rows`
  /// are those of one part.
  int64_t parts = 1;
};

struct PackOptions {
  PackedShapes shapes;
  std::vector<std::string> columns;          ///< int32 columns with a value for each token, beside kAttentionMask
  std::map<std::string, double> pad_values;  ///< of `columns`, and of other 1-D columns that are padded to `length`
};

/// Shapes for packed batches, and what they achieve.
struct PackingPlan {
  PackedShapes shapes;
  double examples_per_batch = 0;  ///< on average
  double useful = 0;              ///< share of the tokens among all positions
};

/// Number of tokens in each text of an example, which usually has one.
using TextLengths = std::vector<int64_t>;

/// Plans batches of `examples` examples, in rows of `length` tokens: as few rows as nearly all batches need, and one
/// smaller number of rows if that saves much, found with random batches of the sample.
/// sample  text lengths of some of the examples, at least one
/// errors  UsageError for sizes below 1, no sample, or texts longer than `length`
PackingPlan plan_exact_examples(const std::vector<TextLengths>& sample, int64_t examples, int64_t length);
/// Plans batches of `tokens` tokens, in rows of `length`: at least one row, and as many as any one example of the
/// sample needs.
PackingPlan plan_token_budget(const std::vector<TextLengths>& sample, int64_t tokens, int64_t length);

}  // namespace portatune::data
