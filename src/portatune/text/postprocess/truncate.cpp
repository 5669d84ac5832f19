#include "portatune/text/postprocess/truncate.h"

#include <algorithm>
#include <string>

#include "portatune/error.h"

namespace portatune::text {
namespace {

// The shorter text stays whole if it takes at most half. If both exceed a half, the longer one (the second, if equal)
// gets the odd token.
Lengths longest_first(const Lengths& lengths, int64_t budget) {
  const bool first_is_longer = lengths.first > lengths.second;
  int64_t shorter = std::min(lengths.first, lengths.second);
  int64_t longer = std::max(shorter, budget - shorter);
  if (shorter + longer > budget) {
    shorter = budget / 2;
    longer = shorter + budget % 2;
  }
  return first_is_longer ? Lengths{longer, shorter} : Lengths{shorter, longer};
}

int64_t shortened(int64_t length, int64_t excess, const char* which) {
  if (length > excess) return length - excess;
  throw DataError({.where = "truncation",
                   .given = std::string("a ") + which + " text of " + std::to_string(length) + " tokens, and " +
                            std::to_string(excess) + " tokens too many",
                   .expected = std::string("a ") + which + " text that keeps at least one token",
                   .fix = "raise max_length, or truncate longest_first"});
}

}  // namespace

Lengths truncated(const Lengths& lengths, bool pair, int64_t budget, TruncationStrategy strategy) {
  const int64_t excess = lengths.first + lengths.second - budget;
  if (excess <= 0 || strategy == TruncationStrategy::kDoNotTruncate) return lengths;
  if (budget == 0) return {};
  switch (strategy) {
    case TruncationStrategy::kLongestFirst:
      return pair ? longest_first(lengths, budget) : Lengths{budget, 0};
    case TruncationStrategy::kOnlyFirst:
      return {shortened(lengths.first, excess, "first"), lengths.second};
    default:
      if (!pair) {
        throw UsageError({.where = "truncation",
                          .given = "only_second for an example with one text",
                          .expected = "two texts, or another strategy"});
      }
      return {lengths.first, shortened(lengths.second, excess, "second")};
  }
}

void truncate(Sequence& first, Sequence& second, bool pair, int64_t budget, TruncationStrategy strategy) {
  const Lengths kept = truncated({std::ssize(first.ids), std::ssize(second.ids)}, pair, budget, strategy);
  first.resize(static_cast<size_t>(kept.first));
  second.resize(static_cast<size_t>(kept.second));
}

}  // namespace portatune::text
