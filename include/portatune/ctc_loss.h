// The loss of connectionist temporal classification.
#pragma once

#include <cstdint>
#include <span>

#include "portatune/graph.h"

namespace portatune {

struct CtcOptions {
  int64_t blank = 0;  ///< class of the blank, which is no label
  /// What a row gets whose labels have no alignment with its frames: a loss of 0 without a gradient. By default its
  /// loss is infinite and its gradient NaN, as in torch.
  bool zero_infinity = false;
};
/// Minus the logarithm of the probability of the labels: the sum over all alignments of labels and blanks with frames.
/// log_probs      float32 or float64 [batch, frames, classes], the result of log_softmax(), finite
/// labels         int32 [batch, labels], at least one, each in [0, classes) and not the blank; behind label_lengths
///                anything, such as -100
/// frame_lengths  int32 [batch]: number of frames that count in each row, at least 1
/// label_lengths  int32 [batch]: number of labels of each row
/// returns        [batch], of the type of log_probs
/// source         Graves et al. 2006, "Connectionist Temporal Classification", equations 5 to 16
Value ctc_loss(const Value& log_probs, const Value& labels, const Value& frame_lengths, const Value& label_lengths,
               const CtcOptions& options = {});

/// Minimal number of frames with which labels have an alignment: one for each label, and one for a blank between equal
/// neighbours.
int64_t min_ctc_frames(std::span<const int32_t> labels);

}  // namespace portatune
