// What models make of the columns that they read, before the first layer.
#pragma once

#include "portatune/models.h"

namespace portatune::models {

/// What attention() takes as its mask: a bias that hides padding or, where several texts stand in a row, their
/// segments.
Value mask_of(const TextInputs& in);

/// position_ids, or 0, 1, 2, ... as [seq].
Value positions_of(const TextInputs& in);

}  // namespace portatune::models
