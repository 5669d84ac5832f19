// Losses, one value for each label.
//
// Logits that all_gather() has concatenated along the classes are never computed: the devices' shards are enough.
#pragma once

#include <string>
#include <vector>

#include "portatune/graph.h"

namespace portatune {

/// The loss that trains a head of classes or labels. Evaluations measure the plain loss, without these options, so that
/// the losses of different runs compare.
struct LossOptions {
  double label_smoothing = 0;           ///< share of a target that all classes get in equal parts, in [0, 1); softmax
  double focal_gamma = 0;               ///< exponent of focal loss; 0: no focal loss
  std::vector<float> class_weights;     ///< weights of the classes in the order of the labels; empty: all 1; softmax
  std::vector<float> positive_weights;  ///< weights of the positive examples of each label; empty: all 1; sigmoid heads

  bool operator==(const LossOptions&) const = default;
};

/// Weights of the loss as users ask for them: numbers in the order of the labels, "balanced", or the name of a table
/// with the columns "label" and "weight"; empty: none.
struct ClassWeights {
  std::vector<std::string> class_weights;     ///< "balanced" gives all classes the same sum of weights
  std::vector<std::string> positive_weights;  ///< "balanced" gives positive and negative examples the same sum
};

/// logits[label]; 0 for a label that is not a class.
/// logits float32 [..., classes], labels int32 [...]; returns float32 [...]
Value label_logits(const Value& logits, const Value& labels);

/// The maximum of the logits over the classes. No gradient flows back.
/// logits float32 [..., classes]; returns float32 [...]
Value highest_logits(const Value& logits);

/// Softmax cross-entropy: -log softmax(logits)[label]. Shapes as in label_logits().
Value softmax_cross_entropy(const Value& logits, const Value& labels);

/// The same with a share of the target, in [0, 1), that all classes get in equal parts.
Value smoothed_cross_entropy(const Value& logits, const Value& labels, double label_smoothing);

/// The factor and the margin of AM-softmax in transformers.
inline constexpr double kAmSoftmaxScale = 30, kAmSoftmaxMargin = 0.4;
/// The logits of AM-softmax: cosines, of which that of the label is less by the margin, times the factor.
/// cosines float32 [..., classes], labels int32 [...]
/// source  Wang et al. 2018, arXiv:1801.05599
Value am_softmax_logits(const Value& cosines, const Value& labels);

/// Binary cross-entropy of sigmoid(logit), in the form that does not overflow: max(x, 0) - x y + log(1 + exp(-|x|)).
/// logits float32 [...], labels [...] in [0, 1]; returns float32 [...]
Value sigmoid_cross_entropy(const Value& logits, const Value& labels);

}  // namespace portatune
