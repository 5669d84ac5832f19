#include "portatune/base/text/shell_word.h"

#include <gtest/gtest.h>

namespace portatune {
namespace {

TEST(ShellWord, QuotesOnlyWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("out/checkpoint-7"), "out/checkpoint-7");
  EXPECT_EQ(shell_word("my data.tfrecord"), "'my data.tfrecord'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("~/a"), "'~/a'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace portatune
