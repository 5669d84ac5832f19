// Preparation of a model's inputs before the first layer.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// The mask for attention(): a bias that hides padding, if there is any, or, in packed rows, the segments.
Value mask_of(const TextInputs& in);

/// The position_ids, or 0, 1, 2, ... as [seq].
Value positions_of(const TextInputs& in);

}  // namespace portatune::models
