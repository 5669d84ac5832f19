// shuffle() with a buffer.
#pragma once

#include <memory>

#include "portatune/data/order/random.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {

inline constexpr const char* kShuffleStage = "shuffle";

/// Another seed or buffer would give some examples twice and others never.
/// errors  DataError
void require_same_shuffle(const SavedState& saved, const ShuffleOptions& options);

/// random  what decides about the order of this pass
std::unique_ptr<Iterator> buffered_shuffle(std::unique_ptr<Iterator> input, const ShuffleOptions& options,
                                           const Random& random);

}  // namespace portatune::data
