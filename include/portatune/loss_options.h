// Choices of the loss of classes and labels.
#pragma once

#include <string>
#include <vector>

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

}  // namespace portatune
