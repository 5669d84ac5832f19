// What a pre-tokenizer does with what it has found.
#pragma once

#include <span>
#include <vector>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// As in tokenizer.json. Of "the-final--countdown" with a match at each '-' they make
enum class SplitBehavior {
  kRemoved,             ///< the, final, countdown
  kIsolated,            ///< the, -, final, -, -, countdown
  kMergedWithPrevious,  ///< the-, final-, -, countdown
  kMergedWithNext,      ///< the, -final, -, -countdown
  kContiguous           ///< the, -, final, --, countdown
};

/// Appends the pieces of a text of `size` bytes, in order; some may be empty.
/// matches   in order, without overlap
/// invert    take what is between the matches for matches, and the other way around
void split_at(std::span<const Span> matches, size_t size, bool invert, SplitBehavior behavior,
              std::vector<Span>& pieces);

}  // namespace portatune::text
