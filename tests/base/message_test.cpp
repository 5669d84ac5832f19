#include "portatune/base/text/message.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace portatune {
namespace {

TEST(Message, NumbersAreShortest) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(3e-5), "3e-05");
  EXPECT_EQ(to_text(16), "16");
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Message, HexadecimalNumbersKeepLeadingZeros) {
  EXPECT_EQ(hexadecimal(0x12ab), "00000000000012ab");
  EXPECT_EQ(hexadecimal_byte('\n'), "0x0a");
  EXPECT_EQ(hexadecimal_byte('\xff'), "0xff");
}

TEST(Message, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(in_quotes("label"), "'label'");
  EXPECT_EQ(in_quotes("label", 5), "'label'");
  EXPECT_EQ(in_quotes("labels", 5), "'label'...");
  EXPECT_EQ(in_quotes("caf\xC3\xA9s", 5), "'caf\xC3\xA9'...");
  EXPECT_EQ(in_quotes("caf\xC3\xA9s", 4), "'caf'...");
  EXPECT_EQ(shortened("[1, 2, 3]", 4), "[1, ...");
  EXPECT_EQ(shortened("[1]", 4), "[1]");
}

TEST(Message, LongListsEndWithTheRemainingCount) {
  EXPECT_EQ(list_of({}), "");
  EXPECT_EQ(list_of(std::vector<std::string>{"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(list_of(std::vector<std::string>{"a", "b", "c"}, 1), "a and 2 more");
}

}  // namespace
}  // namespace portatune
