// shuffle() with a buffer.
#pragma once

#include <memory>

#include "portatune/data/order/random.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {

inline constexpr const char* kShuffleStage = "shuffle";

/// Throws DataError if the state has another seed or buffer, which would repeat some examples and lose others.
void require_same_shuffle(const SavedState& saved, const ShuffleOptions& options);

/// Draws the input's examples from a shuffle buffer.
/// random  determines the order of this pass
std::unique_ptr<Iterator> buffered_shuffle(std::unique_ptr<Iterator> input, const ShuffleOptions& options,
                                           const Random& random);

}  // namespace portatune::data
