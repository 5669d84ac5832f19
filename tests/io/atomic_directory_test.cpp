#include "portatune/io/atomic_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <set>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

void save(const fs::path& target, std::string_view text) {
  AtomicDirectory folder(target);
  write_file(folder.staging() / "a.txt", text);
  folder.commit();
}

// Runs `action` in a child process; 0 if it returned true there.
int run_in_child(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(action() ? 0 : 1);
    } catch (const std::exception& error) {
      std::cerr << error.what() << std::endl;
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Makes renameat2 fail as on a file system that cannot exchange two names, for this process and for good.
void forbid_exchange() {
  sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{.len = 4, .filter = program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(2);
}

TEST(AtomicDirectory, AppearsOnlyOnCommit) {
  const TemporaryFolder root;
  {
    AtomicDirectory folder(root / "out");
    write_file(folder.staging() / "a.txt", "one");
    fs::create_directory(folder.staging() / "sub");
    write_text(folder.staging() / "sub" / "b.txt", "two");
    io::copy_file(folder.staging() / "a.txt", folder.staging() / "c.txt");
    EXPECT_FALSE(fs::exists(root / "out"));
    folder.commit();
  }
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "one");
  EXPECT_EQ(text_of(root / "out" / "sub" / "b.txt"), "two");
  EXPECT_EQ(text_of(root / "out" / "c.txt"), "one");
}

TEST(AtomicDirectory, LeavesNothingWithoutCommit) {
  const TemporaryFolder root;
  {
    AtomicDirectory folder(root / "out");
    write_file(folder.staging() / "a.txt", "one");
    EXPECT_THAT(folder.staging().filename().string(), ::testing::MatchesRegex("tmp\\.out\\.[0-9a-f]+"));
  }
  EXPECT_THAT(names_in(root.path()), IsEmpty());
}

TEST(AtomicDirectory, ReplacesTheOldFolderWhole) {
  const TemporaryFolder root;
  fs::create_directory(root / "out");
  write_text(root / "out" / "old.txt", "old");
  save(root / "out", "new");
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_THAT(names_in(root / "out"), ElementsAre("a.txt"));
}

TEST(AtomicDirectory, ReplacesTheOldFolderWhereNamesCannotBeExchanged) {
  const TemporaryFolder root;
  save(root / "out", "old");
  EXPECT_EQ(run_in_child([&] {
              forbid_exchange();
              save(root / "out", "new");
              return true;
            }),
            0);
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "new");
}

TEST(AtomicDirectory, KeepsOfTheOldFolderWhatItIsAsked) {
  const TemporaryFolder root;
  fs::create_directories(root / "out" / "mine" / "sub");
  for (const char* name : {"a.txt", "b.txt", "notes.txt", "mine/c.txt", "mine/sub/d.txt"}) {
    write_text(root / "out" / name, "old");
  }
  fs::create_symlink("nowhere", root / "out" / "link");
  ASSERT_EQ(mkfifo((root / "out" / "fifo").c_str(), 0600), 0);  // which cannot be copied
  {
    AtomicDirectory folder(root / "out");
    write_file(folder.staging() / "a.txt", "new");
    write_text(root / "out" / "late.txt", "old");
    folder.commit([](const fs::directory_entry& entry) { return entry.path().filename() != "b.txt"; });
  }
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_THAT(names_in(root / "out"), ElementsAre("a.txt", "fifo", "late.txt", "link", "mine", "notes.txt"));
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "new");
  EXPECT_EQ(text_of(root / "out" / "mine" / "sub" / "d.txt"), "old");
  EXPECT_EQ(fs::read_symlink(root / "out" / "link"), "nowhere");
}

TEST(AtomicDirectory, AFileThatIsKeptIsTheOneThatIsOpen) {
  const TemporaryFolder root;
  fs::create_directory(root / "out");
  std::ofstream log(root / "out" / "log.txt");
  log << "one" << std::flush;
  {
    AtomicDirectory folder(root / "out");
    folder.commit([](const fs::directory_entry&) { return true; });
  }
  log << " two" << std::flush;
  EXPECT_EQ(text_of(root / "out" / "log.txt"), "one two");
}

TEST(AtomicDirectory, CreatesParentsAndTakesASlashAtTheEnd) {
  const TemporaryFolder root;
  save(root / "x/y/out/", "one");
  EXPECT_THAT(names_in(root / "x/y"), ElementsAre("out"));
}

TEST(AtomicDirectory, FollowsALinkToAFolder) {
  const TemporaryFolder root;
  fs::create_directory(root / "disk");
  fs::create_directory_symlink(root / "disk", root / "out");
  save(root / "out", "one");
  EXPECT_TRUE(fs::is_symlink(root / "out"));
  EXPECT_EQ(text_of(root / "disk" / "a.txt"), "one");
}

TEST(AtomicDirectory, RefusesATargetThatIsNoFolder) {
  const TemporaryFolder root;
  write_text(root / "out", "mine");
  EXPECT_THROW(AtomicDirectory(root / "out"), UsageError);
  EXPECT_THROW(AtomicDirectory("/"), UsageError);
  EXPECT_THROW(AtomicDirectory(root / "out" / "below"), IoError);
  EXPECT_EQ(text_of(root / "out"), "mine");
}

TEST(AtomicDirectory, AFileIsWrittenOnce) {
  const TemporaryFolder root;
  const AtomicDirectory folder(root / "out");
  write_file(folder.staging() / "a.txt", "one");
  EXPECT_THAT(message_of<IoError>([&] { write_file(folder.staging() / "a.txt", "two"); }), HasSubstr("a.txt"));
  EXPECT_THROW(io::copy_file(root / "none", folder.staging() / "b.txt"), NotFoundError);
  EXPECT_THAT(names_in(folder.staging()), ElementsAre("a.txt"));
}

// Saves 1 MB of weights over an old folder. True if that fails with `reason` and leaves the old folder and no other.
bool fails_cleanly(const fs::path& root, const std::string& reason) {
  const Tensor weights({DType::kFloat32, {1 << 18}});
  try {
    AtomicDirectory folder(root / "out");
    write_safetensors(folder.staging() / "model.safetensors", std::vector<NamedTensorView>{{"w", weights.view()}});
    folder.commit();
    return false;
  } catch (const IoError& error) {
    const std::string message = error.what();
    if (message.find(reason) == std::string::npos || message.find("model.safetensors") == std::string::npos) throw;
  }
  return names_in(root) == std::set<std::string>{"out"} && text_of(root / "out" / "a.txt") == "old";
}

TEST(AtomicDirectory, AFileSizeLimitLeavesTheOldFolder) {
  const TemporaryFolder root;
  save(root / "out", "old");
  EXPECT_EQ(run_in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 16, 1 << 16};
              setrlimit(RLIMIT_FSIZE, &limit);
              return fails_cleanly(root.path(), "File too large");
            }),
            0);
}

TEST(AtomicDirectory, AFullDiskLeavesTheOldFolder) {
  constexpr int kCannotMount = 77;
  const TemporaryFolder root;
  const int status = run_in_child([&] {
    // A mount name space of its own: the disk goes with the process.
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", root.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      _exit(kCannotMount);
    }
    save(root / "out", "old");
    return fails_cleanly(root.path(), "No space left on device");
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotMount) {
    GTEST_SKIP() << "mounting a small disk needs root, and not in every container";
  }
  EXPECT_EQ(status, 0);
}

TEST(OutputFile, AWriteThatFailsHalfWayLeavesNoFile) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 16, 1 << 16};
              setrlimit(RLIMIT_FSIZE, &limit);
              try {
                OutputFile file(root / "a");
                for (;;) file.write(std::string(50'000, 'x'));  // the second is cut short, the rest of it refused
              } catch (const IoError&) {
                return !fs::exists(root / "a");
              }
            }),
            0);
}

TEST(RemoveDirectory, RemovesAllOfIt) {
  const TemporaryFolder root;
  save(root / "out", "old");
  fs::create_directory(root / "out" / "sub");
  remove_directory(root / "out");
  EXPECT_THAT(names_in(root.path()), IsEmpty());
  EXPECT_THROW(remove_directory(root / "out"), NotFoundError);
}

TEST(RecoverDirectory, RemovesOnlyStagingFoldersOfDeadRunsOfThisTarget) {
  const TemporaryFolder root;
  save(root / "out", "old");
  const std::string id = "0123456789abcdef";
  fs::create_directory(root / ("tmp.out." + id));
  write_text(root / ("tmp.out." + id) / "half.txt", "x");
  const std::vector<std::string> foreign = {"tmp.other." + id, "tmp.out.backup", "tmp.out." + id + "0", "bad.out." + id,
                                            "tmp.out.0123456789ABCDEF"};
  for (const std::string& name : foreign) fs::create_directory(root / name);
  write_text(root / "tmp.out.1111111111111111", "a file");
  fs::create_directory_symlink(root / "out", root / "tmp.out.2222222222222222");
  const AtomicDirectory live(root / "out");

  const Recovery recovery = recover_directory(root / "out");
  EXPECT_THAT(recovery.removed, ElementsAre(fs::canonical(root.path()) / ("tmp.out." + id)));
  EXPECT_FALSE(recovery.restored);
  std::set<std::string> expected(foreign.begin(), foreign.end());
  expected.insert({"out", "tmp.out.1111111111111111", "tmp.out.2222222222222222", live.staging().filename().string()});
  EXPECT_EQ(names_in(root.path()), expected);
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "old");
}

TEST(RecoverDirectory, PutsTheNewestFolderBackThatWasMovedAside) {
  const TemporaryFolder root;
  const fs::path older = root / "old.out.ffffffffffffffff", newer = root / "old.out.0000000000000000";
  for (const fs::path& folder : {older, newer}) {
    fs::create_directory(folder);
    write_text(folder / "a.txt", folder.string());
  }
  fs::last_write_time(older, fs::last_write_time(newer) - std::chrono::hours(1));
  EXPECT_TRUE(recover_directory(root / "out").restored);
  EXPECT_EQ(text_of(root / "out" / "a.txt"), newer.string());
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
}

TEST(RecoverDirectory, NothingToDoIsNoError) {
  const TemporaryFolder root;
  EXPECT_THAT(recover_directory(root / "none/out").removed, IsEmpty());
}

constexpr std::string_view kFiles[] = {"config.json", "model.safetensors", "vocab.txt"};

std::string content_of(int generation) {
  return std::string(20'000 + generation, static_cast<char>('a' + generation % 26));
}

void save_generation(const fs::path& target, int generation) {
  AtomicDirectory folder(target);
  for (const std::string_view name : kFiles) write_file(folder.staging() / name, content_of(generation));
  folder.commit();
}

// For a child process: writes one generation after the other until it is killed or fails.
[[noreturn]] void save_for_ever(const fs::path& target, int generation) {
  try {
    for (;; ++generation) save_generation(target, generation);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    _exit(1);
  }
}

// The generation that the folder holds; -1 if it is not one of them, whole.
int generation_in(const fs::path& target) {
  const int generation = static_cast<int>(text_of(target / kFiles[0]).size()) - 20'000;
  for (const std::string_view name : kFiles) {
    if (generation < 0 || text_of(target / name) != content_of(generation)) return -1;
  }
  return names_in(target).size() == std::size(kFiles) ? generation : -1;
}

// In memory if possible: where fsync takes no time, more of the kills hit the moments between the renames.
fs::path fast_folder() { return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path(); }

void kill_and_check(int rounds, bool exchange) {
  const TemporaryFolder root(fast_folder());
  const fs::path target = root / "out";
  std::mt19937 random(7);
  int generation = -1;
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      if (!exchange) forbid_exchange();
      save_for_ever(target, generation + 1);
    }
    while (generation < 0 && !fs::exists(target)) usleep(1000);  // the first one must get that far
    usleep(std::uniform_int_distribution<useconds_t>(200, 20'000)(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (exchange) {
      EXPECT_GE(generation_in(target), generation) << "before recovery, round " << round;
    }
    recover_directory(target);
    const int now = generation_in(target);
    ASSERT_GE(now, std::max(generation, 0)) << "round " << round;
    EXPECT_THAT(names_in(root.path()), ElementsAre("out")) << "round " << round;
    generation = now;
  }
  EXPECT_GT(generation, 0) << "nothing was ever replaced";
}

TEST(RecoverDirectory, DoesNoHarmBesideALiveRun) {
  const TemporaryFolder root(fast_folder());
  const pid_t child = fork();
  if (child == 0) {
    forbid_exchange();
    save_for_ever(root / "out", 0);
  }
  EXPECT_NO_THROW({
    for (int i = 0; i < 3000; ++i) recover_directory(root / "out");
  });
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "a save failed";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  recover_directory(root / "out");
  EXPECT_GE(generation_in(root / "out"), 0);
}

TEST(AtomicDirectory, AKillAtAnyMomentLeavesOldOrNewWhole) { kill_and_check(50, true); }
TEST(AtomicDirectory, AKillAtAnyMomentIsRecoveredWhereNamesCannotBeExchanged) { kill_and_check(50, false); }

}  // namespace
}  // namespace portatune::io
