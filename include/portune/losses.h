// Losses, one value for each label.
#pragma once

#include "portune/graph.h"

namespace portune {

/// logits[label]; 0 for a label that is no class.
/// logits float32 [..., classes], labels int32 [...]; returns float32 [...]
Value label_logits(const Value& logits, const Value& labels);

/// Softmax cross-entropy: -log softmax(logits)[label]. Shapes as above.
Value softmax_cross_entropy(const Value& logits, const Value& labels);

/// Binary cross-entropy of sigmoid(logit), in the form that does not overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
/// logits float32 [...], labels [...] of 0 and 1, or between them; returns float32 [...]
Value sigmoid_cross_entropy(const Value& logits, const Value& labels);

}  // namespace portune
