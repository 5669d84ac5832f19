#include "portatune/error.h"

#include <gtest/gtest.h>

namespace portatune {

TEST(Error, StatesGivenExpectedAndFix) {
  ShapeError error({.where = "concatenate", .given = "[2, 3]", .expected = "[2, 4]", .fix = "pad it"});
  error.set_context("bert/encoder");
  EXPECT_STREQ(error.what(),
               "concatenate\n  given     [2, 3]\n  expected  [2, 4]\n  fix       pad it\n  in        bert/encoder");
}

TEST(Error, OmitsEmptyParts) {
  EXPECT_STREQ(DataError({.where = "a.csv:3", .expected = "4 columns"}).what(), "a.csv:3\n  expected  4 columns");
}

TEST(Error, KeepsTheInnermostContext) {
  ShapeError error({.where = "add"});
  error.set_context("inner");
  error.set_context("outer");
  EXPECT_STREQ(error.what(), "add\n  in        inner");
}

}  // namespace portatune
