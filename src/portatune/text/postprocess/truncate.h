// Truncation of the two texts of an example.
#pragma once

#include <cstdint>

#include "portatune/text.h"
#include "portatune/text/postprocess/template.h"

namespace portatune::text {

/// Numbers of tokens of the two texts. The second is 0 if there is no second text.
struct Lengths {
  int64_t first = 0, second = 0;
};

/// The numbers of tokens to keep, at most `budget` in total, as in `tokenizers`.
/// pair      true if there is a second text
/// errors    DataError if the text that the strategy names is too short; UsageError if that text is missing
Lengths truncated(const Lengths& lengths, bool pair, int64_t budget, TruncationStrategy strategy);

/// Truncates the two sequences accordingly. The second is empty if there is no second text.
void truncate(Sequence& first, Sequence& second, bool pair, int64_t budget, TruncationStrategy strategy);

}  // namespace portatune::text
