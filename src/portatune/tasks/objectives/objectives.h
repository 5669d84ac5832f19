// Logits and losses above a text model's body, as the classes of transformers compute them.
//
// x is the last of TextBody::hidden_states(); `weights` are those of the examples, float32 [batch]. Labels below 0
// do not count. Losses are sums of weight x loss with the sum of the weights, as in Forward.
#pragma once

#include "portatune/models.h"
#include "portatune/tasks.h"
#include "portatune/tasks/losses.h"

namespace portatune::tasks {

/// Label of a token without a label, as in transformers.
inline constexpr int32_t kNoLabel = -100;
/// Number of labels in a row of int32 [batch, labels] with kNoLabel behind shorter ones.
int64_t count_labels(const Tensor& labels, size_t row);

/// "problem_type" of a config: the kind of labels of a sequence.
enum class Problem {
  kSingleLabel,  ///< int32 [batch]; softmax cross-entropy
  kMultiLabel,   ///< float32 or int32 [batch, num_labels] of 0 and 1; mean of binary cross-entropies
  kRegression,   ///< float32 [batch, num_labels]; mean of squared differences
};

/// options  of the loss; without meaning for kRegression
/// outputs: "logits" [batch, num_labels]
Forward sequence_classification(Problem problem, const Value& logits, const Value& labels, const Value& weights,
                                const LossOptions& options = {});

/// labels int32 [batch, seq]; logits [batch, seq, num_labels]. Every labelled token counts as its example does.
/// outputs: "logits"
Forward token_classification(const Value& logits, const Value& labels, const Value& weights,
                             const LossOptions& options = {});

/// Outputs in place of logits [batch, positions, classes], which are many times as large: the ids of the most probable
/// classes, int32 [batch, positions], under this name, and "highest_logit" [batch], which shows whether the logits are
/// finite.
std::vector<std::pair<std::string, Value>> ids_of_logits(std::string_view name, const Value& logits);

/// Binary cross-entropy of each token with attention_mask 1. Every such token counts as its example does.
/// logits float32 [batch, seq]; labels, attention_mask int32 [batch, seq]: 1 for a token that was replaced
/// outputs: "logits"
Forward replaced_token_detection(const Value& logits, const Value& labels, const Value& attention_mask,
                                 const Value& weights);

/// Labels of next-token prediction: each position gets the label of the next one, the last position kNoLabel.
/// labels  int32 [batch, seq]
Value next_labels(const Value& labels);

/// As token_classification, but the logits of a position predict the label of the next one.
Forward next_token_prediction(const Value& logits, const Value& labels, const Value& weights);

/// Summary of each token's logits, which are too many for the host; float32 [...] each.
struct TokenFigures {
  Value losses, hits;  ///< hits: 1 where the label has the highest logit
};
/// logits [..., vocab_size], labels [...]
/// label_smoothing  of the losses: smoothed_cross_entropy()
TokenFigures token_figures(const Value& logits, const Value& labels, double label_smoothing = 0);

/// As token_classification, from the figures [batch, seq] of the labels' tokens.
/// outputs, float32 [batch] each: "loss" and "hits" summed over an example's labels, and their number, "labels"
Forward language_modelling(const TokenFigures& figures, const Value& labels, const Value& weights);
/// The same from the logits.
Forward language_modelling(const Value& logits, const Value& labels, const Value& weights);

/// The sum of two losses: the mean of a loss of tokens over the labels of the batch, and the mean softmax cross-entropy
/// over its examples.
/// logits [batch, 2]; labels int32 [batch]
/// outputs: those of `language_model`, and "next_sentence_hits", float32 [batch]
Forward with_next_sentence(const Forward& language_model, const Value& logits, const Value& labels,
                           const Value& weights);

/// logits [batch, seq, 2]; start and end int32 [batch]: the mean of the softmax cross-entropies of start and end, as
/// in transformers. A negative position counts as 0. A position beyond the sequence is ignored: each of the two losses
/// is the mean over the examples with a position inside, and 0 if there is none.
/// outputs: "start_logits", "end_logits" [batch, seq]
Forward span_prediction(const Value& logits, const Value& start, const Value& end, const Value& weights);

}  // namespace portatune::tasks
