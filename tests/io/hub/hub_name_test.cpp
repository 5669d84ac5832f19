#include "portatune/io/hub/hub_name.h"

#include <gtest/gtest.h>

namespace portatune::io {
namespace {

TEST(HubName, HasANameAndARevision) {
  const auto name = HubName::parse("org/bert-base_1.0@refs/pr/1");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "org/bert-base_1.0");
  EXPECT_EQ(name->revision, "refs/pr/1");
  EXPECT_EQ(to_string(*name), "org/bert-base_1.0@refs/pr/1");
}

TEST(HubName, RevisionIsMainByDefault) {
  const auto name = HubName::parse("gpt2");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->revision, "main");
  EXPECT_EQ(to_string(*name), "gpt2");
}

TEST(HubName, PathsAreNone) {
  for (const char* text : {"", "/", "a/", "/a", "./a", "../a", "a/b/c", "a b", "a@", "a@../b", "a@b/..", "~/a"}) {
    EXPECT_FALSE(HubName::parse(text)) << text;
  }
}

}  // namespace
}  // namespace portatune::io
