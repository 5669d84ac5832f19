// Losses of classes and labels, with the options of LossOptions.
#pragma once

#include <map>
#include <string>

#include "portatune/graph.h"
#include "portatune/nn.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// Losses whose mean is sum(losses) / sum(weights).
struct WeightedLosses {
  Value losses, weights;  ///< float32 [...]
};

/// Softmax cross-entropy: for each label the sum over the classes c of
///     target[c] class_weights[c] (1 - p[c])^focal_gamma (-log p[c]),
/// where target is 1 - label_smoothing for the label and label_smoothing / classes more for every class. Its weight is
/// that of its class. A label below 0 has loss and weight 0.
/// logits float32 [..., classes], labels int32 [...]
/// source  torch.nn.CrossEntropyLoss(weight, label_smoothing); Lin et al. 2017, arXiv:1708.02002; all together as in
///         keras.losses.CategoricalFocalCrossentropy, whose mean is that over the examples
WeightedLosses softmax_losses(const Value& logits, const Value& labels, const LossOptions& options);

/// Binary cross-entropy of each label: positive_weights y (1 - p)^focal_gamma (-log p) +
/// (1 - y) p^focal_gamma (-log(1 - p)).
/// logits float32 [batch, labels], labels [batch, labels] in [0, 1]; returns float32 [batch, labels]
/// source  torch.nn.BCEWithLogitsLoss(pos_weight); Lin et al. 2017, torchvision.ops.sigmoid_focal_loss(alpha=-1)
Value sigmoid_losses(const Value& logits, const Value& labels, const LossOptions& options);

/// errors  UsageError for a number out of range, for options that the head does not have, and unless there is a weight
///         for each of `labels` labels
void check(const LossOptions& options, Head head, size_t labels);

/// The options in a program that trains, and none in one that evaluates.
LossOptions loss_options(const LossOptions& options, const nn::Scope& root);

/// The options that differ from their defaults, as values that a resumed run must share (RowTask::settings).
std::map<std::string, std::string> settings_of(const LossOptions& options);

}  // namespace portatune::tasks
