// Checks that find non-finite numbers where they arise, before they are scored or saved.
#pragma once

#include <span>
#include <string>

#include "portatune/data.h"
#include "portatune/tensor.h"

namespace portatune::train {

/// Returns whether all elements are finite; true for integers.
bool is_finite(const TensorView& tensor);

/// Throws a NumericError naming the first tensor with a non-finite element.
/// where   the work that needs the weights: "saving to tuned"
void require_finite(const std::string& where, std::span<const NamedTensorView> weights);

/// Describes the first non-finite result of an evaluated batch: "loss nan". Outputs come before the loss, which follows
/// from them. Empty if all are finite.
std::string not_finite_in(double loss_sum, const data::Example& outputs);

/// Advice for training whose numbers have grown too large.
inline constexpr const char* kAdviceOnTraining =
    "start a new run with a lower learning rate or more warm-up steps, which --resume cannot change";
/// Advice for a weight that is not finite from the start.
inline constexpr const char* kAdviceOnModel = "the model's file has this weight: use an undamaged copy";

}  // namespace portatune::train
