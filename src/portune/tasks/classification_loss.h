// Losses of classification heads, one value per example.
#pragma once

#include "portune/graph.h"

namespace portune::tasks {

/// Softmax cross-entropy: -log softmax(logits)[label].
/// logits float32 [batch, classes], labels int32 [batch]; returns float32 [batch]
Value softmax_cross_entropy(const Value& logits, const Value& labels);

/// Binary cross-entropy of sigmoid(logit), in the form that does not overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
/// logits float32 [batch], labels int32 [batch] of 0 and 1; returns float32 [batch]
Value sigmoid_cross_entropy(const Value& logits, const Value& labels);

}  // namespace portune::tasks
