#include "portatune/run/inputs/rows/validation.h"

#include <gmock/gmock.h>

#include "cli/program.h"

namespace portatune::run {
namespace {

using testing::ElementsAre;

TEST(NamedFiles, KeepTheOrderOfFirstFiles) {
  const std::vector<NamedFiles> sets = named_files({"b=1.tsv", "plain.tsv", "a=x/2=3.tsv", "b=4.tsv", "5.tsv"});
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].name + "," + sets[1].name + "," + sets[2].name, "b,,a");
  EXPECT_THAT(sets[0].files, ElementsAre("1.tsv", "4.tsv"));
  EXPECT_THAT(sets[1].files, ElementsAre("plain.tsv", "5.tsv"));
  EXPECT_THAT(sets[2].files, ElementsAre("x/2=3.tsv"));
}

TEST(NamedFiles, AFileMayHaveAnEqualsSignInItsName) {
  const TemporaryFolder folder;
  const std::string file = (folder / "lr=3.csv").string();
  cli::write(file, "");
  EXPECT_THAT(named_files({file}).front().files, ElementsAre(file));
  EXPECT_THAT(named_files({"./lr=3.csv"}).front().files, ElementsAre("./lr=3.csv"));
}

TEST(NamedFiles, MayBeUrlsAndPatternsOfThem) {
  const std::vector<NamedFiles> sets =
      named_files({"dev=s3://bucket/dev-*.csv", "gs://bucket/k=v/*.csv", "old=https://host/a.csv?v=1"});
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].name + "," + sets[1].name + "," + sets[2].name, "dev,,old");
  EXPECT_THAT(sets[0].files, ElementsAre("s3://bucket/dev-*.csv"));
  EXPECT_THAT(sets[1].files, ElementsAre("gs://bucket/k=v/*.csv"));
  EXPECT_THAT(sets[2].files, ElementsAre("https://host/a.csv?v=1"));
}

}  // namespace
}  // namespace portatune::run
