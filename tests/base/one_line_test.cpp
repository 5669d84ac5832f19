#include <gtest/gtest.h>

#include "portatune/base/text/plain_text.h"

namespace portatune {

TEST(OneLine, OmitsTheFix) {
  EXPECT_EQ(one_line({.where = "a.csv:3", .given = "3 fields", .expected = "2 fields", .fix = "mend it"}),
            "a.csv:3: 3 fields, expected 2 fields");
  EXPECT_EQ(one_line({.where = "a.csv:3", .expected = "4 columns"}), "a.csv:3, expected 4 columns");
  EXPECT_EQ(one_line({.expected = "4 columns"}), "expected 4 columns");
}

TEST(OneLine, ReplacesControlCharactersByBlanks) {
  EXPECT_EQ(one_line({.given = "'a\r\nb\x1b' and '\u00e9'"}), "'a  b ' and '\u00e9'");
}

}  // namespace portatune
