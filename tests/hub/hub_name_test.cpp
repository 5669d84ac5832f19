#include "portatune/hub/hub_name.h"

#include <gtest/gtest.h>

#include "portatune/hub/cache.h"

namespace portatune::hub {
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

TEST(HubName, OfAModelsPath) {
  const std::string cached = "/cache/hub/models--org--bert-base";
  EXPECT_EQ(to_string(*hub_name_of(cached + "/snapshots/0123")), "org/bert-base@0123");
  EXPECT_EQ(to_string(*hub_name_of(cached + "/snapshots/0123/")), "org/bert-base@0123");
  EXPECT_EQ(to_string(*hub_name_of(cached)), "org/bert-base");
  EXPECT_EQ(to_string(*hub_name_of("org/bert-base@v2")), "org/bert-base@v2");
  EXPECT_FALSE(hub_name_of("/"));
  EXPECT_FALSE(hub_name_of("/no/such/folder"));
}

}  // namespace
}  // namespace portatune::hub
