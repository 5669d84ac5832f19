#include "portatune/base/files/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/faulty_calls.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune {
namespace {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(AtomicFile, ReplacesTheTargetOnCommit) {
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

TEST(AtomicFile, LeavesNothingAfterFinishWithoutCommit) {
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

TEST(AtomicFile, LeavesNothingAfterAFailedCommit) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  AtomicFile file(folder / "a");
  EXPECT_THROW(file.commit(), IoError);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
}

// Kills a child process while it writes a file.
void leave_half_of(const std::filesystem::path& target) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(target);
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
}

TEST(RemoveLeftovers, RemovesTemporaryFilesOfKilledWriters) {
  const TemporaryFolder folder;
  const std::vector<std::filesystem::path> targets = {folder / "a", folder / "b"};
  for (const char* name : {"a", "a", "b", "other"}) leave_half_of(folder / name);
  ASSERT_EQ(names_in(folder.path()).size(), 4u);
  remove_leftovers(targets);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre(testing::StartsWith("tmp.other.")));
}

TEST(RemoveLeftovers, KeepsFilesOfLiveWritersAndOtherNames) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "a";
  write_text(target, "old");
  const std::vector<std::string> foreign = {"tmp.a.backup", "tmp.a.0123456789abcdef0", "tmp.a.0123456789ABCDEF",
                                            "a.0123456789abcdef"};
  for (const std::string& name : foreign) write_text(folder / name, "mine");
  std::filesystem::create_directory(folder / "tmp.a.1111111111111111");
  std::filesystem::create_symlink("a", folder / "tmp.a.2222222222222222");
  AtomicFile written(target), finished(target);
  finished.finish();
  const auto before = names_in(folder.path());
  remove_leftovers({&target, 1});
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAreArray(before));
}

TEST(RemoveLeftovers, AMissingFolderIsNoError) {
  const std::filesystem::path target = "/nowhere/a";
  EXPECT_NO_THROW(remove_leftovers({&target, 1}));
}

TEST(AtomicFile, SeveralFilesAreCommittedTogetherOrNotAtAll) {
  const TemporaryFolder folder;
  write_text(folder / "a", "old");
  write_text(folder / "index", "old");
  const auto commit = [&] {
    AtomicFile a(folder / "a"), b(folder / "b");
    for (AtomicFile* file : {&a, &b}) {
      file->write("new");
      file->finish();
    }
    AtomicFile::commit_together(std::vector<AtomicFile*>{&a, &b}, {folder / "index", folder / "none"});
  };
  std::filesystem::create_directory(folder / "b");  // a file cannot replace a folder
  EXPECT_THROW(commit(), IoError);
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre("a", "b", "index"));
  EXPECT_EQ(text_of(folder / "a"), "old");
  std::filesystem::remove(folder / "b");
  commit();
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre("a", "b"));
  EXPECT_EQ(text_of(folder / "a") + text_of(folder / "b"), "newnew");
}

// Returns whether the process ends at this of its calls, which replaces two files in two folders.
bool dies_while_replacing(const std::filesystem::path& folder, int call) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile a(folder / "1/a"), b(folder / "2/b");
    for (AtomicFile* file : {&a, &b}) {
      file->write("new");
      file->finish();
    }
    test::plan_fault(test::Fault::kEndsProcess, call);
    try {
      AtomicFile::commit_together(std::vector<AtomicFile*>{&a, &b});
    } catch (...) {
      _exit(2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(AtomicFile, SeveralMayBeInSeveralFolders) {
  int call = 0;
  for (;; ++call) {
    const TemporaryFolder folder;
    const std::vector<std::filesystem::path> targets = {folder / "1/a", folder / "2/b"};
    for (const std::filesystem::path& target : targets) {
      std::filesystem::create_directory(target.parent_path());
      write_text(target, "old");
    }
    const bool has_died = dies_while_replacing(folder.path(), call);
    remove_leftovers(targets);
    const std::string texts = text_of(targets[0]) + text_of(targets[1]);
    EXPECT_TRUE(texts == "newnew" || (call == 0 && texts == "oldold")) << "call " << call << ": " << texts;
    for (const char* name : {"1", "2"}) EXPECT_EQ(names_in(folder / name).size(), 1u) << "call " << call;
    if (!has_died) break;
  }
  EXPECT_GT(call, 1);
}

TEST(AtomicFile, SeveralMayHaveNamesWithoutAFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  {
    AtomicFile a("a"), b("b");
    a.write("new");
    b.write("new");
    EXPECT_NO_THROW(AtomicFile::commit_together(std::vector<AtomicFile*>{&a, &b}, {}));
  }
  std::filesystem::current_path(before);
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre("a", "b"));
}

TEST(IoError, HasTheErrno) {
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
