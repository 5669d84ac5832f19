#include "portatune/io/file/atomic_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
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

#include "io/forbid_call.h"
#include "io/temporary_disk.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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

// Runs `action` in a child process. Returns 0 if it returned true there.
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

// Simulates a file system that cannot exchange two names.
void forbid_exchange() { forbid_call(SYS_renameat2, ENOSYS); }

// Simulates a file system without hard links.
void forbid_links() {
  forbid_call(SYS_link, EPERM);
  forbid_call(SYS_linkat, EPERM);
}

TEST(AtomicDirectory, AppearsOnlyOnCommit) {
  const TemporaryFolder root;
  {
    AtomicDirectory folder(root / "out");
    write_file(folder.staging() / "a.txt", "one");
    fs::create_directory(folder.staging() / "sub");
    write_text(folder.staging() / "sub" / "b.txt", "two");
    EXPECT_FALSE(fs::exists(root / "out"));
    folder.commit();
  }
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "one");
  EXPECT_EQ(text_of(root / "out" / "sub" / "b.txt"), "two");
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

TEST(AtomicDirectory, ReplacesTheWholeOldFolder) {
  const TemporaryFolder root;
  fs::create_directory(root / "out");
  write_text(root / "out" / "old.txt", "old");
  save(root / "out", "new");
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
  EXPECT_THAT(names_in(root / "out"), ElementsAre("a.txt"));
}

TEST(AtomicDirectory, ReplacesTheOldFolderWithoutExchangeOfNames) {
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

TEST(AtomicDirectory, KeepsSelectedEntriesOfTheOldFolder) {
  const TemporaryFolder root;
  fs::create_directories(root / "out" / "mine" / "sub");
  for (const char* name : {"a.txt", "b.txt", "notes.txt", "mine/c.txt", "mine/sub/d.txt"}) {
    write_text(root / "out" / name, "old");
  }
  fs::create_symlink("nowhere", root / "out" / "link");
  ASSERT_EQ(mkfifo((root / "out" / "fifo").c_str(), 0600), 0);  // a FIFO cannot be copied
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

TEST(AtomicDirectory, AKeptFileIsTheOpenFile) {
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

TEST(AtomicDirectory, AKeptFileIsTheOpenFileWithoutHardLinks) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              forbid_links();
              fs::create_directories(root / "out" / "logs");
              std::ofstream log(root / "out" / "logs" / "log.txt"), top(root / "out" / "top.txt");
              log << "one" << std::flush;
              AtomicDirectory folder(root / "out");
              folder.commit([](const fs::directory_entry&) { return true; });
              log << " two" << std::flush;
              top << "three" << std::flush;
              return text_of(root / "out" / "logs" / "log.txt") == "one two" &&
                     text_of(root / "out" / "top.txt") == "three";
            }),
            0);
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
}

// Starts a process that creates files in a folder until a byte arrives or there are 5,000. It exits with 0 if it could
// create all of them.
pid_t start_making_files(const fs::path& folder, int end) {
  const pid_t child = fork();
  if (child != 0) return child;
  fcntl(end, F_SETFL, O_NONBLOCK);
  char byte;
  int made = 0;
  while (made < 5'000 && read(end, &byte, 1) != 1) {
    const std::string file = folder / std::to_string(made);
    // The retry is necessary because the folder may be removed between the steps of open(2).
    for (int number = -1; number < 0; close(number)) number = open(file.c_str(), O_CREAT | O_WRONLY, 0600);
    ++made;
    usleep(100);  // limits the number of files, because each save links all of them
  }
  write_text(folder / "made", std::to_string(made));
  _exit(0);
}

TEST(AtomicDirectory, FilesCreatedInASubfolderDuringTheSaveAreKept) {
  const TemporaryFolder root(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path());
  fs::create_directories(root / "out" / "logs" / "deep");
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = start_making_files(root / "out" / "logs" / "deep", pipe_ends[0]);
  for (int i = 0; i < 50; ++i) {
    AtomicDirectory folder(root / "out");
    write_file(folder.staging() / "a.txt", std::to_string(i));
    folder.commit([](const fs::directory_entry& entry) { return entry.is_directory(); });
  }
  ASSERT_EQ(write(pipe_ends[1], "x", 1), 1);
  waitpid(child, nullptr, 0);
  const int made = std::stoi(text_of(root / "out/logs/deep/made"));
  EXPECT_GT(made, 0);
  EXPECT_EQ(names_in(root / "out/logs/deep").size(), static_cast<size_t>(made) + 1);
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
}

// Saves a folder whose kept subfolder another program replaces by a file after it was linked, so that what is in the
// subfolder cannot be kept. Calls `replaced` then.
void save_with_a_rest(
    const fs::path& target, const std::function<void()>& replaced = [] {}) {
  const fs::path logs = target / "logs";
  fs::create_directories(logs);
  bool is_replaced = false;
  AtomicDirectory folder(target);
  folder.commit([&](const fs::directory_entry& entry) {
    if (entry.path() == logs || is_replaced) return true;
    is_replaced = true;
    fs::remove_all(logs);
    write_text(logs, "a file");
    write_text(entry.path() / "late.txt", "late");
    replaced();
    return true;
  });
}

// Checks that the rest is found, and that nothing removes it.
void expect_a_rest(const fs::path& target) {
  const std::vector<fs::path> rests = rest_folders(target);
  ASSERT_EQ(rests.size(), 1u);
  EXPECT_EQ(text_of(rests[0] / "logs" / "late.txt"), "late");
  EXPECT_EQ(text_of(target / "logs"), "a file");
  save(target, "next");
  recover_directory(target);
  fs::remove_all(target);
  recover_directory(target);
  EXPECT_EQ(rest_folders(target), rests);
  EXPECT_EQ(text_of(rests[0] / "logs" / "late.txt"), "late");
}

// Simulates a full disk that has no room for another name.
void forbid_renames() {
  forbid_call(SYS_rename, ENOSPC);
  forbid_call(SYS_renameat, ENOSPC);
}

TEST(AtomicDirectory, AnEntryThatCannotBeKeptIsInARestFolder) {
  const TemporaryFolder root;
  save_with_a_rest(root / "out");
  EXPECT_THAT(names_in(root.path()), ElementsAre("out", StartsWith("rest.out.")));
  expect_a_rest(root / "out");
}

TEST(AtomicDirectory, ARestThatCannotBeRenamedIsNotRemoved) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              save_with_a_rest(root / "out", forbid_renames);
              return true;
            }),
            0);
  EXPECT_THAT(names_in(root.path()), ElementsAre("out", StartsWith("tmp.out.")));
  expect_a_rest(root / "out");
}

TEST(AtomicDirectory, ARestThatCannotBeRenamedIsNotRemovedWithoutExchangeOfNames) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              forbid_exchange();
              save_with_a_rest(root / "out", forbid_renames);
              return true;
            }),
            0);
  EXPECT_THAT(names_in(root.path()), ElementsAre(StartsWith("old.out."), "out"));
  expect_a_rest(root / "out");
}

TEST(AtomicDirectory, ARestThatCannotBeProtectedIsAnErrorThatNamesIt) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              const auto forbid = [] {
                forbid_renames();
                forbid_call(SYS_fchmod, EPERM);
              };
              const std::string message = message_of<IoError>([&] { save_with_a_rest(root / "out", forbid); });
              return message.find("tmp.out.") != std::string::npos &&
                     message.find("move the entries") != std::string::npos;
            }),
            0);
  EXPECT_EQ(text_of(root / "out" / "logs"), "a file");
}

TEST(AtomicDirectory, CreatesParentsAndAcceptsAFinalSlash) {
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

TEST(AtomicDirectory, MayBeBelowALinkToAFolder) {
  const TemporaryFolder root;
  fs::create_directory(root / "disk");
  fs::create_directory_symlink(root / "disk", root / "link");
  save(root / "link" / "out", "one");
  EXPECT_EQ(text_of(root / "disk" / "out" / "a.txt"), "one");
}

TEST(AtomicDirectory, RefusesATargetThatIsNotAFolder) {
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
  EXPECT_THAT(names_in(folder.staging()), ElementsAre("a.txt"));
}

// Saves 1 MB of weights over an old folder. Returns true if that fails with `reason` and leaves only the old folder.
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
  const TemporaryFolder root;
  const TemporaryDisk disk(root.path(), 1 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  save(root / "out", "old");
  EXPECT_TRUE(fails_cleanly(root.path(), "No space left on device"));
}

// Saves over an older folder of which some entries are kept, and checks the result.
void expect_replaced_in_place(const fs::path& target) {
  fs::create_directories(target / "logs");
  for (const char* name : {"config.json", "a.txt", "vocab.txt", "notes.txt", "logs/log.txt"}) {
    write_text(target / name, "old");
  }
  fs::create_directory(target / kLostAndFound);
  {
    AtomicDirectory folder(target);
    EXPECT_EQ(folder.staging().parent_path(), target);
    EXPECT_EQ(staging_of(target, folder.staging_name()), folder.staging());
    write_file(folder.staging() / "config.json", "new");
    write_file(folder.staging() / "a.txt", "new");
    EXPECT_EQ(text_of(target / "a.txt"), "old");
    folder.commit([](const fs::directory_entry& entry) {
      return entry.is_directory() || entry.path().filename() == "notes.txt";
    });
  }
  EXPECT_THAT(names_in(target), ElementsAre("a.txt", "config.json", "logs", kLostAndFound, "notes.txt"));
  EXPECT_EQ(text_of(target / "config.json") + text_of(target / "a.txt"), "newnew");
  EXPECT_EQ(text_of(target / "notes.txt") + text_of(target / "logs/log.txt"), "oldold");
}

TEST(AtomicDirectory, AMountedDiskIsReplacedEntryByEntry) {
  const TemporaryFolder root;
  fs::create_directory(root / "out");
  const TemporaryDisk disk(root / "out", 1 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  expect_replaced_in_place(root / "out");
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
}

TEST(AtomicDirectory, ABoundFolderIsReplacedEntryByEntry) {
  const TemporaryFolder root;
  fs::create_directory(root / "out");
  fs::create_directory(root / "volume");
  const TemporaryDisk disk(root / "out", root / "volume");
  PORTATUNE_REQUIRE_DISK(disk);
  expect_replaced_in_place(root / "out");
  EXPECT_EQ(text_of(root / "volume" / "config.json"), "new");
}

// Renaming the mounted folder fails.
TEST(AtomicDirectory, AFolderWithAMountedDiskInItIsReplacedEntryByEntry) {
  const TemporaryFolder root;
  fs::create_directories(root / "out" / "logs");
  const TemporaryDisk disk(root / "out" / "logs", 1 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  write_text(root / "out/logs/log.txt", "old");
  AtomicDirectory folder(root / "out");
  write_file(folder.staging() / "a.txt", "new");
  folder.commit([](const fs::directory_entry& entry) { return entry.is_directory(); });
  EXPECT_THAT(names_in(root / "out"), ElementsAre("a.txt", "logs"));
  EXPECT_EQ(text_of(root / "out/logs/log.txt"), "old");
}

// Gives up the rights of root, because root may write to any folder.
void become_nobody() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
}
// Creates `out`, writable for all, in a folder that is not, and runs `action` as nobody. Returns 0 if no test failed
// meanwhile.
int run_where_the_parent_is_not_writable(const fs::path& root, const std::function<void()>& action) {
  fs::create_directory(root / "out");
  chmod((root / "out").c_str(), 0777);
  chmod(root.c_str(), 0555);
  const int status = run_in_child([&] {
    become_nobody();
    action();
    return !testing::Test::HasFailure();
  });
  chmod(root.c_str(), 0755);
  return status;
}

TEST(AtomicDirectory, AFolderWithAReadOnlyParentIsReplacedEntryByEntry) {
  const TemporaryFolder root;
  EXPECT_EQ(run_where_the_parent_is_not_writable(root.path(), [&] { expect_replaced_in_place(root / "out"); }), 0);
}

TEST(AtomicDirectory, AnUnwritableParentIsAnErrorWithAdvice) {
  const TemporaryFolder root;
  EXPECT_EQ(run_where_the_parent_is_not_writable(
                root.path(),
                [&] {
                  EXPECT_THAT(message_of<IoError>([&] { AtomicDirectory(root / "new"); }),
                              testing::AllOf(HasSubstr("Permission denied"), HasSubstr("choose another folder")));
                }),
            0);
}

TEST(OutputFile, AWriteThatFailsMidwayLeavesNoFile) {
  const TemporaryFolder root;
  EXPECT_EQ(run_in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 16, 1 << 16};
              setrlimit(RLIMIT_FSIZE, &limit);
              try {
                OutputFile file(root / "a");
                for (;;) file.write(std::string(50'000, 'x'));  // the second write is partial, and its rest fails
              } catch (const IoError&) {
                return !fs::exists(root / "a");
              }
            }),
            0);
}

TEST(RemoveDirectory, RemovesTheWholeFolder) {
  const TemporaryFolder root;
  save(root / "out", "old");
  fs::create_directory(root / "out" / "sub");
  remove_directory(root / "out");
  EXPECT_THAT(names_in(root.path()), IsEmpty());
  EXPECT_THROW(remove_directory(root / "out"), NotFoundError);
}

TEST(RecoverDirectory, RemovesOnlyStagingFoldersOfDeadRunsOfTheTarget) {
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

TEST(RecoverDirectory, RestoresTheNewestFolderThatWasSetAside) {
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

// Scripts create the output folder before they start a run.
TEST(RecoverDirectory, RestoresAFolderInThePlaceOfAnEmptyOne) {
  const TemporaryFolder root;
  fs::create_directory(root / "old.out.0123456789abcdef");
  write_text(root / "old.out.0123456789abcdef" / "a.txt", "old");
  fs::create_directory(root / "out");
  EXPECT_TRUE(recover_directory(root / "out").restored);
  EXPECT_EQ(text_of(root / "out" / "a.txt"), "old");
  EXPECT_THAT(names_in(root.path()), ElementsAre("out"));
}

TEST(RecoverDirectory, AMissingFolderIsNoError) {
  const TemporaryFolder root;
  EXPECT_THAT(recover_directory(root / "none/out").removed, IsEmpty());
}

constexpr std::string_view kFiles[] = {"model.safetensors", "config.json", "vocab.txt"}, kKept = "log.txt";

std::string content_of(int generation) {
  return std::string(20'000 + generation, static_cast<char>('a' + generation % 26));
}

bool is_kept(const fs::directory_entry& entry) { return entry.path().filename() == kKept; }

void save_generation(const fs::path& target, int generation, const EntryTest& keep) {
  AtomicDirectory folder(target);
  for (const std::string_view name : kFiles) write_file(folder.staging() / name, content_of(generation));
  folder.commit(keep);
}

// Writes generations in a child process until it is killed or fails.
[[noreturn]] void save_for_ever(const fs::path& target, int generation, const EntryTest& keep = {}) {
  try {
    for (;; ++generation) save_generation(target, generation, keep);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    _exit(1);
  }
}

// The generation of all files, or -1 if they belong to several generations.
int generation_of_files(const fs::path& target) {
  const int generation = static_cast<int>(text_of(target / kFiles[0]).size()) - 20'000;
  for (const std::string_view name : kFiles) {
    if (generation < 0 || text_of(target / name) != content_of(generation)) return -1;
  }
  return generation;
}

// The generation of all files, or -1 if the folder contains other entries than these and the kept one.
int generation_in(const fs::path& target) {
  const size_t entries = std::size(kFiles) + (fs::exists(target / kKept) ? 1 : 0);
  return names_in(target).size() == entries ? generation_of_files(target) : -1;
}

// A folder in memory if possible: fsync takes no time there, so that more kills happen between the renames.
fs::path fast_folder() { return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path(); }

// The way in which a new folder replaces the old one.
enum class Way { kExchange, kTwoRenames, kEntryByEntry, kWithoutLinks };

void kill_and_check(const fs::path& root, int rounds, Way way) {
  const fs::path target = root / "out";
  std::mt19937 random(7);
  int generation = -1;
  const bool keeps = way == Way::kWithoutLinks;  // an entry that is moved because it cannot be linked
  if (keeps) {
    fs::create_directory(target);
    write_text(target / kKept, "mine");
  }
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      if (way == Way::kTwoRenames) forbid_exchange();
      if (way == Way::kWithoutLinks) forbid_links();
      save_for_ever(target, generation + 1, keeps ? is_kept : EntryTest());
    }
    while (generation < 0 && !fs::exists(target / "config.json")) usleep(1000);  // the first save must finish
    usleep(std::uniform_int_distribution<useconds_t>(200, 20'000)(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (way == Way::kExchange) {
      EXPECT_GE(generation_in(target), generation) << "before recovery, round " << round;
    }
    if (way >= Way::kEntryByEntry && fs::exists(target / "config.json")) {
      EXPECT_GE(generation_of_files(target), generation) << "loadable before recovery, round " << round;
    }
    recover_directory(target);
    const int now = generation_in(target);
    ASSERT_GE(now, std::max(generation, 0)) << "round " << round;
    EXPECT_THAT(names_in(root), ElementsAre("out")) << "round " << round;
    EXPECT_EQ(fs::exists(target / kKept), keeps) << "round " << round;
    generation = now;
  }
  EXPECT_GT(generation, 0) << "no folder was replaced";
}

TEST(RecoverDirectory, DoesNoHarmToALiveRun) {
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

TEST(AtomicDirectory, AKillAtAnyMomentLeavesTheOldOrTheNewFolder) {
  const TemporaryFolder root(fast_folder());
  kill_and_check(root.path(), 50, Way::kExchange);
}

TEST(AtomicDirectory, AKillAtAnyMomentIsRecoveredWithoutExchangeOfNames) {
  const TemporaryFolder root(fast_folder());
  kill_and_check(root.path(), 50, Way::kTwoRenames);
}

TEST(AtomicDirectory, AKillAtAnyMomentIsRecoveredWithoutHardLinks) {
  const TemporaryFolder root(fast_folder());
  kill_and_check(root.path(), 50, Way::kWithoutLinks);
}

TEST(AtomicDirectory, AKillAtAnyMomentIsRecoveredAfterEntryByEntryReplacement) {
  const TemporaryFolder root(fast_folder());
  EXPECT_EQ(
      run_where_the_parent_is_not_writable(root.path(), [&] { kill_and_check(root.path(), 50, Way::kEntryByEntry); }),
      0);
}

}  // namespace
}  // namespace portatune::io
