// The treatment of matches by a pre-tokenizer.
#pragma once

#include <span>
#include <vector>

#include "portatune/text/normalized.h"

namespace portatune::text {

/// The behaviors in tokenizer.json. Examples: "the-final--countdown" with a match at each '-' becomes
enum class SplitBehavior {
  kRemoved,             ///< the, final, countdown
  kIsolated,            ///< the, -, final, -, -, countdown
  kMergedWithPrevious,  ///< the-, final-, -, countdown
  kMergedWithNext,      ///< the, -final, -, -countdown
  kContiguous           ///< the, -, final, --, countdown
};

/// Appends the pieces of a text of `size` bytes, in order. Some may be empty.
/// matches   in order, without overlap
/// invert    exchange matches and the text between them
void split_at(std::span<const Span> matches, size_t size, bool invert, SplitBehavior behavior,
              std::vector<Span>& pieces);

}  // namespace portatune::text
