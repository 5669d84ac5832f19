#include "portatune/io/file/lock_file.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/faulty_calls.h"
#include "io/forbid_call.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

// flock(2) locks open files, so a second open file of this process is like that of another process.
TEST(LockFile, IsHeldOnce) {
  const TemporaryFolder folder;
  {
    const auto first = LockFile::try_hold(folder / "lock");
    ASSERT_TRUE(first);
    EXPECT_FALSE(LockFile::try_hold(folder / "lock"));
    EXPECT_EQ(LockFile::holder(folder / "lock"), std::to_string(getpid()));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
  EXPECT_TRUE(LockFile::try_hold(folder / "lock"));
}

TEST(LockFile, IsFreeAfterItsHolderWasKilled) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto held = LockFile::try_hold(folder / "lock");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(LockFile::holder(folder / "lock"), std::to_string(child));
  const auto held = LockFile::try_hold(folder / "lock");
  EXPECT_TRUE(held);
  EXPECT_EQ(LockFile::holder(folder / "lock"), std::to_string(getpid()));
}

// The folder may have been replaced by another with the lock file of another run.
TEST(LockFile, KeepsAnotherFileAtItsPath) {
  const TemporaryFolder folder;
  {
    const auto first = LockFile::try_hold(folder / "lock");
    std::filesystem::remove(folder / "lock");
    write_text(folder / "lock", "mine");
  }
  EXPECT_EQ(text_of(folder / "lock"), "mine");
}

TEST(LockFile, IsRemovedAtASecondAttempt) {
  const TemporaryFolder folder;
  {
    const auto held = LockFile::try_hold(folder / "lock");
    test::plan_fault(test::Fault::kFails, 0);
  }
  EXPECT_TRUE(test::has_met_fault());
  EXPECT_FALSE(std::filesystem::exists(folder / "lock"));
}

TEST(LockFile, ReportsAFailedRemoval) {
  const TemporaryFolder folder;
  const auto held = LockFile::try_hold(folder / "lock");
  test::plan_fault(test::Fault::kFailsForEver, 0);
  EXPECT_FALSE(held->remove());
  test::plan_fault(test::Fault::kNone, 0);
  EXPECT_TRUE(held->remove());
}

// The child process simulates a file system without locks.
TEST(LockFile, ReportsWhetherItIsEffective) {
  const TemporaryFolder folder;
  EXPECT_TRUE(LockFile::try_hold(folder / "lock")->is_effective());
  const pid_t child = fork();
  if (child == 0) {
    forbid_call(SYS_flock, ENOLCK);
    const auto held = LockFile::try_hold(folder / "lock");
    _exit(held && !held->is_effective() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// The child process simulates a file system that does not say which file a path names.
TEST(LockFile, IsRefusedWhereThePathNeverNamesTheFile) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    forbid_call(SYS_newfstatat, EIO);
    try {
      LockFile::try_hold(folder / "lock");
    } catch (const IoError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(LockFile, AMissingFolderIsNotFound) {
  EXPECT_THROW(LockFile::try_hold("/nowhere/lock"), NotFoundError);
  EXPECT_EQ(LockFile::holder("/nowhere/lock"), "");
}

}  // namespace
}  // namespace portatune::io
