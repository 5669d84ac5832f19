#include "portatune/base/files/path_name.h"

#include <gtest/gtest.h>

namespace portatune {
namespace {

TEST(LastPartOf, IsTheNameOfTheFolderOrFile) {
  EXPECT_EQ(last_part_of("a/b.csv"), "b.csv");
  EXPECT_EQ(last_part_of("/a/b/"), "b");
  EXPECT_EQ(last_part_of("a/b/."), "b");
  EXPECT_EQ(last_part_of("a/b/.."), "a");
  EXPECT_EQ(last_part_of("https://host/a/b.csv"), "b.csv");
  EXPECT_EQ(last_part_of("."), std::filesystem::current_path().filename());
  EXPECT_EQ(last_part_of(""), "");
  EXPECT_EQ(last_part_of("/"), "");
}

TEST(BeginsWithHome, IsTrueForATildeThatAShellReplaces) {
  EXPECT_TRUE(begins_with_home("~"));
  EXPECT_TRUE(begins_with_home("~/a"));
  EXPECT_FALSE(begins_with_home("~a"));
  EXPECT_FALSE(begins_with_home("a/~"));
}

}  // namespace
}  // namespace portatune
