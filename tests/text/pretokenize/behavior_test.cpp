#include "portatune/text/pretokenize/behavior.h"

#include <gtest/gtest.h>

#include <string>

namespace portatune::text {
namespace {

// The example in the documentation of `tokenizers`.
std::string split(SplitBehavior behavior, bool invert = false) {
  const std::string text = "the-final--countdown";
  const std::vector<Span> hyphens{{3, 4}, {9, 10}, {10, 11}};
  std::vector<Span> pieces;
  split_at(hyphens, text.size(), invert, behavior, pieces);
  std::string joined;
  for (const Span& piece : pieces)
    joined += (joined.empty() ? "" : "|") + text.substr(piece.begin, piece.end - piece.begin);
  return joined;
}

TEST(SplitBehavior, SplitsAsDocumented) {
  EXPECT_EQ(split(SplitBehavior::kRemoved), "the|final|countdown");
  EXPECT_EQ(split(SplitBehavior::kIsolated), "the|-|final|-|-|countdown");
  EXPECT_EQ(split(SplitBehavior::kMergedWithPrevious), "the-|final-|-|countdown");
  EXPECT_EQ(split(SplitBehavior::kMergedWithNext), "the|-final|-|-countdown");
  EXPECT_EQ(split(SplitBehavior::kContiguous), "the|-|final|--|countdown");
}

TEST(SplitBehavior, ExchangesMatchesAndRestIfInverted) {
  EXPECT_EQ(split(SplitBehavior::kRemoved, true), "-|-|-");
  EXPECT_EQ(split(SplitBehavior::kContiguous, true), "the|-|final|--|countdown");
}

}  // namespace
}  // namespace portatune::text
