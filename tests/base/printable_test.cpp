#include <gtest/gtest.h>

#include "portatune/base/text/plain_text.h"
#include "portatune/error.h"

namespace portatune {

using namespace std::string_literals;

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("\x1b]0;pwned\a\x1b[31m"), "\\x1b]0;pwned\\x07\\x1b[31m");
  EXPECT_EQ(printable("a\0b\x7f\r"s), "a\\x00b\\x7f\\x0d");
  EXPECT_EQ(printable("\u0080\u009b31m"), "\\u0080\\u009b31m");
}

TEST(Printable, EscapesInvalidUtf8) { EXPECT_EQ(printable("\x9b\xC3(\xE2\x82"), "\\x9b\\xc3(\\xe2\\x82"); }

TEST(Printable, KeepsOtherTextNewlinesAndTabs) {
  const std::string text = "a\tb\n\u00a0\u00e9 \u4e2d \U0001F600";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, CutsALongTextBetweenTwoCharacters) {
  const std::string whole(kLongestText, 'a');
  EXPECT_EQ(printable(whole), whole);
  EXPECT_EQ(printable(whole + "b"), whole + "...");
  EXPECT_EQ(printable(whole.substr(1) + "\u00e9"), whole.substr(1) + "...");
}

// Terminals and logs receive the message.
TEST(Error, HasNoControlCharactersAndABoundedLength) {
  const std::string hostile = "a\0b\x1b[31m"s;
  const DataError error({.where = hostile, .given = hostile, .expected = hostile, .fix = std::string(100'000, 'x')});
  EXPECT_EQ(error.report().given, "a\\x00b\\x1b[31m");
  EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
  EXPECT_LT(std::string(error.what()).size(), 5'000);
  DataError renamed({.where = "a"});
  renamed.set_where(hostile);
  renamed.set_context(hostile);
  EXPECT_STREQ(renamed.what(), "a\\x00b\\x1b[31m\n  in        a\\x00b\\x1b[31m");
}

}  // namespace portatune
