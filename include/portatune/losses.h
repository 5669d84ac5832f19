// Losses, one value for each label.
//
// Of logits that all_gather() has put side by side along the classes, what devices have is enough: then the gathered
// ones are not computed.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// logits[label]; 0 for a label that is no class.
/// logits float32 [..., classes], labels int32 [...]; returns float32 [...]
Value label_logits(const Value& logits, const Value& labels);

/// The highest of the classes' logits. No gradient flows back.
/// logits float32 [..., classes]; returns float32 [...]
Value highest_logits(const Value& logits);

/// Softmax cross-entropy: -log softmax(logits)[label]. Shapes as above.
Value softmax_cross_entropy(const Value& logits, const Value& labels);

/// Binary cross-entropy of sigmoid(logit), in the form that does not overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
/// logits float32 [...], labels [...] of 0 and 1, or between them; returns float32 [...]
Value sigmoid_cross_entropy(const Value& logits, const Value& labels);

}  // namespace portatune
