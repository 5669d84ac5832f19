// Numbers that went wrong are found where they arise, before they are scored or saved.
#pragma once

#include <span>
#include <string>

#include "portatune/data.h"
#include "portatune/tensor.h"

namespace portatune::train {

/// Whether all its elements are; true for integers.
bool is_finite(const TensorView& tensor);

/// NumericError naming the first tensor that has an element which is not finite.
/// where   what was to be done with them: "saving to tuned"
void require_finite(const std::string& where, std::span<const NamedTensorView> weights);

/// What is not finite of what a batch of an evaluation gave, the outputs before the loss, which follows from them:
/// "loss nan". Empty: nothing.
std::string not_finite_in(double loss_sum, const data::Example& outputs);

/// What helps a training whose numbers have grown too large.
inline constexpr const char* kAdviceOnTraining =
    "start a new run with a lower learning rate or more warm-up steps, which --resume cannot change";
/// What helps where a weight has been so from the start.
inline constexpr const char* kAdviceOnModel = "the model's file has it so: take a copy that is whole";

}  // namespace portatune::train
