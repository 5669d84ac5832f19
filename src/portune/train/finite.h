// Numbers that went wrong are found where they arise, before they are scored or saved.
#pragma once

#include <span>
#include <string>

#include "portune/data.h"
#include "portune/tensor.h"

namespace portune::train {

/// Whether all its elements are; true for integers.
bool is_finite(const TensorView& tensor);

/// NumericError naming the first tensor that has an element which is not finite.
/// where   what was to be done with them: "saving to tuned"
void require_finite(const std::string& where, std::span<const NamedTensorView> weights);

/// What a batch of an evaluation gave.
/// trained  whether steps were made before, so that advice on training is true
/// errors   NumericError naming the rows, for a loss or an output that is not finite
void require_finite(const data::Example& batch, double loss_sum, const data::Example& outputs, bool trained);

}  // namespace portune::train
