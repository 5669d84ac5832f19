#include "portatune/text/postprocess/truncate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

using enum TruncationStrategy;
using ::testing::HasSubstr;
using ::testing::Pair;

// tokenizer_test.cpp compares the tokens that stay with `tokenizers`. This file tests the rest.
std::pair<int64_t, int64_t> kept(Lengths lengths, int64_t budget, TruncationStrategy strategy) {
  const Lengths result = truncated(lengths, true, budget, strategy);
  return {result.first, result.second};
}

TEST(Truncation, DoesNotChangeShortExamples) {
  for (const auto strategy : {kLongestFirst, kOnlyFirst, kOnlySecond})
    EXPECT_THAT(kept({3, 4}, 7, strategy), Pair(3, 4));
}

TEST(Truncation, CanBeForbidden) { EXPECT_THAT(kept({30, 40}, 7, kDoNotTruncate), Pair(30, 40)); }

TEST(Truncation, SharesAnOddBudget) {
  EXPECT_THAT(kept({30, 40}, 7, kLongestFirst), Pair(3, 4));
  EXPECT_THAT(kept({40, 30}, 7, kLongestFirst), Pair(4, 3));
  EXPECT_THAT(kept({2, 30}, 7, kLongestFirst), Pair(2, 5));
}

TEST(Truncation, NamesTheTextThatIsTooShort) {
  EXPECT_THAT(message_of<DataError>([] { kept({2, 30}, 7, kOnlyFirst); }), HasSubstr("a first text of 2 tokens"));
  EXPECT_THAT(message_of<DataError>([] { kept({30, 2}, 7, kOnlySecond); }), HasSubstr("a second text of 2 tokens"));
  EXPECT_THAT(message_of<UsageError>([] { truncated({9, 0}, false, 7, kOnlySecond); }), HasSubstr("only_second"));
}

}  // namespace
}  // namespace portatune::text
