#include "portatune/runtime/processes/shared_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"
#include "runtime/processes/thread_group.h"

namespace portatune::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// The error messages of `count` processes, each of which writes a file named by its rank and then runs `more`.
std::vector<std::string> messages_of(int64_t count, const fs::path& target,
                                     const std::function<void(SharedDirectory&)>& more) {
  std::vector<std::string> messages(static_cast<size_t>(count));
  in_processes(count, [&](ProcessGroup& processes) {
    try {
      SharedDirectory directory(target, &processes, processes.size());
      const std::string name = std::to_string(processes.rank());
      directory.attempt([&] { io::write_file(directory.staging() / name, name); });
      more(directory);
      directory.commit();
    } catch (const Error& error) {
      messages[static_cast<size_t>(processes.rank())] = error.what();
    }
  });
  return messages;
}

TEST(SharedDirectory, HasTheFilesOfAllProcesses) {
  const TemporaryFolder folder;
  EXPECT_THAT(messages_of(4, folder / "target", [](SharedDirectory&) {}), ElementsAre("", "", "", ""));
  EXPECT_THAT(names_in(folder / "target"), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("target"));
}

TEST(SharedDirectory, WorksWithoutAGroup) {
  const TemporaryFolder folder;
  SharedDirectory directory(folder / "target", nullptr, 1);
  directory.attempt([&] { io::write_file(directory.staging() / "0", "0"); });
  directory.commit();
  EXPECT_THAT(names_in(folder / "target"), ElementsAre("0"));
}

TEST(SharedDirectory, IsNotPutInPlaceIfOneProcessFails) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "target");
  write_text(folder / "target" / "older", "");
  // A folder has the name of the file to be written.
  const auto fail = [](SharedDirectory& directory) {
    if (directory.rank() != 2) return;
    fs::create_directory(directory.staging() / "taken");
    directory.attempt([&] { io::write_file(directory.staging() / "taken", "2"); });
    directory.attempt([] { FAIL() << "after an error"; });
  };
  const std::vector<std::string> messages = messages_of(4, folder / "target", fail);
  for (const size_t other : {0, 1, 3}) {
    EXPECT_THAT(messages[other], AllOf(HasSubstr("process 2 of 4, "), HasSubstr("taken"), HasSubstr("File exists")));
  }
  EXPECT_THAT(messages[2], AllOf(Not(HasSubstr("process 2")), HasSubstr("File exists")));
  EXPECT_THAT(names_in(folder / "target"), ElementsAre("older"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("target"));
}

TEST(SharedDirectory, AllThrowTheSameErrorType) {
  const TemporaryFolder folder;
  std::vector<int> error_numbers(2, -1);
  std::array<bool, 2> numeric{};  // not bits of one word: each process is a thread
  in_processes(2, [&](ProcessGroup& processes) {
    const auto rank = static_cast<size_t>(processes.rank());
    try {
      SharedDirectory directory(folder / "a", &processes, processes.size());
      directory.attempt([&] {
        if (rank == 1) throw IoError({.where = "x", .given = "no space", .expected = "", .fix = ""}, ENOSPC);
      });
      directory.commit();
    } catch (const IoError& error) {
      error_numbers[rank] = error.error_number();
    }
    try {
      SharedDirectory directory(folder / "b", &processes, processes.size());
      directory.attempt([&] {
        if (rank == 1) throw NumericError({.where = "x", .given = "nan", .expected = "", .fix = ""});
      });
      directory.commit();
    } catch (const NumericError&) {
      numeric[rank] = true;
    }
  });
  EXPECT_THAT(error_numbers, ElementsAre(ENOSPC, ENOSPC));
  EXPECT_THAT(numeric, ElementsAre(true, true));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(SharedDirectory, IsNotPutInPlaceIfTheCheckFails) {
  const TemporaryFolder folder;
  std::vector<std::string> messages(2);
  in_processes(2, [&](ProcessGroup& processes) {
    messages[static_cast<size_t>(processes.rank())] = message_of<Error>([&] {
      SharedDirectory directory(folder / "target", &processes, processes.size());
      directory.commit([] { throw CheckpointError({.where = "part 2", .given = "", .expected = "", .fix = ""}); });
    });
  });
  EXPECT_THAT(messages, ElementsAre(HasSubstr("part 2"), HasSubstr("process 0 of 2, part 2")));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

// Two folders stand for machines that do not share a file system.
TEST(SharedDirectory, MustBeVisibleToAllWriters) {
  const TemporaryFolder folder;
  std::vector<std::string> messages(2);
  in_processes(2, [&](ProcessGroup& processes) {
    const fs::path target = folder / (processes.rank() == 0 ? "here" : "there") / "target";
    messages[static_cast<size_t>(processes.rank())] =
        message_of<IoError>([&] { SharedDirectory(target, &processes, processes.size()); });
  });
  EXPECT_THAT(messages[0], AllOf(HasSubstr("process 1 of 2, "), HasSubstr("there"), HasSubstr("no such folder")));
  EXPECT_THAT(messages[1], AllOf(HasSubstr("there"), HasSubstr("file system that they share")));
  EXPECT_THAT(names_in(folder / "here"), IsEmpty());
}

TEST(SharedDirectory, NeedNotBeVisibleToOtherProcesses) {
  const TemporaryFolder folder;
  in_processes(2, [&](ProcessGroup& processes) {
    const fs::path target = folder / (processes.rank() == 0 ? "here" : "there") / "target";
    try {
      SharedDirectory(target, &processes, 1).commit();
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  });
  EXPECT_THAT(names_in(folder / "here"), ElementsAre("target"));
}

TEST(SharedDirectory, RefusesAnExistingFile) {
  const TemporaryFolder folder;
  write_text(folder / "target", "mine");
  const std::vector<std::string> messages = messages_of(2, folder / "target", [](SharedDirectory&) { FAIL(); });
  EXPECT_THAT(messages,
              ElementsAre(HasSubstr("not a folder"), AllOf(HasSubstr("process 0"), HasSubstr("not a folder"))));
  EXPECT_EQ(text_of(folder / "target"), "mine");
}

}  // namespace
}  // namespace portatune::test
