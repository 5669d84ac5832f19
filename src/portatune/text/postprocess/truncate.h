// How much of each text to keep.
#pragma once

#include <cstdint>

#include "portatune/text.h"
#include "portatune/text/postprocess/template.h"

namespace portatune::text {

/// Tokens of the two texts; the second is 0 where there is no second text.
struct Lengths {
  int64_t first = 0, second = 0;
};

/// What to keep so that both together have at most `budget` tokens, as `tokenizers` decides it.
/// pair      whether there is a second text
/// errors    DataError if the text that the strategy names is too short; UsageError if it is not there
Lengths truncated(const Lengths& lengths, bool pair, int64_t budget, TruncationStrategy strategy);

/// Cuts the two sequences accordingly. The second is empty where there is no second text.
void truncate(Sequence& first, Sequence& second, bool pair, int64_t budget, TruncationStrategy strategy);

}  // namespace portatune::text
