#include <gtest/gtest.h>

#include "portatune/base/text/plain_text.h"

namespace portatune {
namespace {

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 13), "one two three");
  EXPECT_EQ(wrapped("", 7), "");
}

TEST(Wrapped, IndentsFurtherLines) { EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three"); }

TEST(Wrapped, LongWordsAreAloneOnTheirLines) { EXPECT_EQ(wrapped("a longest b", 3), "a\nlongest\nb"); }

TEST(Wrapped, KeepsLeadingBlanks) {
  EXPECT_EQ(wrapped("  a b", 9), "  a b");
  EXPECT_EQ(wrapped("a\n  b", 9), "a\n  b");
}

TEST(Wrapped, KeepsLineEnds) { EXPECT_EQ(wrapped("a\nb c", 9), "a\nb c"); }

TEST(Wrapped, CountsCharactersAndNotBytes) { EXPECT_EQ(wrapped("\u00e4\u00e4 \u00e4", 4), "\u00e4\u00e4 \u00e4"); }

}  // namespace
}  // namespace portatune
