#include "portatune/text/pretokenize/behavior.h"

#include <algorithm>

namespace portatune::text {
namespace {

struct Part {
  Span span;
  bool is_match;
};

// The matches and the text between them, which together are the whole text.
std::vector<Part> parts_of(std::span<const Span> matches, size_t size, bool invert) {
  std::vector<Part> parts;
  size_t at = 0;
  for (const Span& match : matches) {
    if (at < match.begin) parts.push_back({{at, match.begin}, invert});
    parts.push_back({match, !invert});
    at = match.end;
  }
  if (at < size) parts.push_back({{at, size}, invert});
  return parts;
}

// True if a part joins the previous part.
bool joins(SplitBehavior behavior, bool is_match, bool previous_is_match) {
  return behavior == SplitBehavior::kContiguous ? is_match == previous_is_match : is_match && !previous_is_match;
}

}  // namespace

void split_at(std::span<const Span> matches, size_t size, bool invert, SplitBehavior behavior,
              std::vector<Span>& pieces) {
  std::vector<Part> parts = parts_of(matches, size, invert);
  if (behavior == SplitBehavior::kRemoved || behavior == SplitBehavior::kIsolated) {
    for (const Part& part : parts) {
      if (behavior == SplitBehavior::kIsolated || !part.is_match) pieces.push_back(part.span);
    }
    return;
  }
  const bool backwards = behavior == SplitBehavior::kMergedWithNext;
  if (backwards) std::reverse(parts.begin(), parts.end());
  const auto first = static_cast<std::ptrdiff_t>(pieces.size());
  bool previous_is_match = false;
  for (const Part& part : parts) {
    if (std::ssize(pieces) > first && joins(behavior, part.is_match, previous_is_match)) {
      (backwards ? pieces.back().begin : pieces.back().end) = backwards ? part.span.begin : part.span.end;
    } else {
      pieces.push_back(part.span);
    }
    previous_is_match = part.is_match;
  }
  if (backwards) std::reverse(pieces.begin() + first, pieces.end());
}

}  // namespace portatune::text
