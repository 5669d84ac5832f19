// Losses, one value for each label.
//
// Logits that all_gather() has concatenated along the classes are never computed: the devices' shards are enough.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// logits[label]; 0 for a label that is not a class.
/// logits float32 [..., classes], labels int32 [...]; returns float32 [...]
Value label_logits(const Value& logits, const Value& labels);

/// The maximum of the logits over the classes. No gradient flows back.
/// logits float32 [..., classes]; returns float32 [...]
Value highest_logits(const Value& logits);

/// Softmax cross-entropy: -log softmax(logits)[label]. Shapes as in label_logits().
Value softmax_cross_entropy(const Value& logits, const Value& labels);

/// Binary cross-entropy of sigmoid(logit), in the form that does not overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
/// logits float32 [...], labels [...] in [0, 1]; returns float32 [...]
Value sigmoid_cross_entropy(const Value& logits, const Value& labels);

}  // namespace portatune
