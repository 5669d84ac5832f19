#include "portatune/base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune {
namespace {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(AtomicFile, TakesItsPlaceOnCommit) {
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  {
    AtomicFile file(folder / "a", 0600);
    file.write("new ");
    file.write("text");
    EXPECT_EQ(text_of(folder / "a"), "old");
    EXPECT_THAT(names_in(folder.path()), testing::Contains(testing::MatchesRegex("tmp\\.a\\.[0-9a-f]+")));
    file.commit();
  }
  EXPECT_EQ(text_of(folder / "a"), "new text");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
  struct stat status;
  ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  AtomicFile(folder / "a").write("half");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(AtomicFile, LeavesNothingIfItWasOnlyFinished) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("whole");
    file.finish();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  AtomicFile file(folder / "a");
  file.finish();
  file.commit();
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
}

TEST(AtomicFile, LeavesNothingWhereItCannotTakeItsPlace) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  AtomicFile file(folder / "a");
  EXPECT_THROW(file.commit(), IoError);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
}

TEST(IoError, CarriesTheNumberOfTheFault) {
  try {
    OutputFile("/dev/full/x");
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), ENOTDIR);
  }
  EXPECT_EQ(IoError({.where = "here"}).error_number(), 0);
}

}  // namespace
}  // namespace portatune
