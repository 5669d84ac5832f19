// Tests with stdin, stdout and stderr that are closed or have no reader.
#include "portatune/cli/process/standard_streams.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// The exit code of a command whose streams go where `redirections` says; {} is the command.
int exit_code_in(std::string shell_line, const Words& words) {
  std::string command = PORTATUNE_COMMAND;
  for (const std::string& word : words) command += " '" + word + "'";
  const TemporaryFolder folder;
  const std::string code = folder.path() / "code";
  command = "{ " + command + "; } ";
  shell_line.replace(shell_line.find("{}"), 2, command);
  setenv("CODE", code.c_str(), 1);
  EXPECT_NE(std::system(shell_line.c_str()), -1);
  return std::stoi(read(code));
}

TEST(StandardStreams, AreOpenFromTheStart) {
  const auto prepare_without = [] {
    for (const int stream : {0, 1, 2}) close(stream);
    prepare_standard_streams();
    const bool are_taken = open("/dev/null", O_RDONLY) > 2;
    char byte = 'x';
    const bool fail = ::read(0, &byte, 1) == -1 && ::write(1, &byte, 1) == -1 && ::write(2, &byte, 1) == -1;
    _exit(are_taken && fail ? 0 : 1);
  };
  EXPECT_EXIT(prepare_without(), testing::ExitedWithCode(0), "");
}

TEST(StandardStreams, ThatAreOpenStayAsTheyAre) {
  struct stat before {
  }, after{};
  ASSERT_EQ(fstat(2, &before), 0);
  prepare_standard_streams();
  ASSERT_EQ(fstat(2, &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST(ClosedPipe, OfTheLogChangesNeitherResultNorExitCode) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", "1"});
  EXPECT_EQ(exit_code_in("( {} 2>&1 >/dev/null; echo $? > $CODE ) | :", words), 0);
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
  std::filesystem::remove_all(toy.output());
  // The table at the end describes files that are saved.
  EXPECT_EQ(exit_code_in("( {} 2>&1; echo $? > $CODE ) | head -2 >/dev/null", words), 0);
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

TEST(ClosedPipe, OfAResultIsAFailedWrite) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--epochs", "1"})).exit_code, 0);
  const Words predict = {"predict",      "--model", toy.output(), "--data", toy.file("validation.csv"),
                         "--max-length", "16"};
  EXPECT_EQ(exit_code_in("( {} 2>/dev/null; echo $? > $CODE ) | :", predict), 74);
  EXPECT_EQ(exit_code_in("( {} 2>/dev/null >&-; echo $? > $CODE )", predict), 74);
  const Words fit = toy.fit({"--epochs", "1", "--overwrite-output", "--json"});
  EXPECT_EQ(exit_code_in("( {} 2>/dev/null; echo $? > $CODE ) | :", fit), 74);
}

TEST(ClosedPipe, OfTextForPeopleEndsQuietly) {
  const Toy toy;
  const TemporaryFolder folder;
  const std::string err = folder.path() / "err";
  for (const Words& words : {Words{"fit", "--help-all"}, Words{"devices"},
                             Words{"tokenize", "--tokenizer", tiny_bert(), "--input", toy.file("train.csv")}}) {
    EXPECT_EQ(exit_code_in("( {} 2>" + err + "; echo $? > $CODE ) | :", words), 128 + SIGPIPE) << words.front();
    EXPECT_THAT(read(err), IsEmpty());
  }
}

// The terminal and the `tee` that reads the log disappear together.
TEST(ClosedPipe, AtTheEndOfAConnectionACheckpointIsSaved) {
  const Toy toy;
  const std::string log = toy.file("log");
  ASSERT_EQ(mkfifo(log.c_str(), 0600), 0);
  const int reader = open(log.c_str(), O_RDONLY | O_NONBLOCK);
  Program run(toy.fit({"--epochs", "4000", "--checkpoint-every", "5"}), {.stderr_to = log});
  ASSERT_TRUE(run.makes(toy.output(), "checkpoint-"));
  close(reader);
  run.signal(SIGHUP);
  run.signal(SIGHUP);
  EXPECT_EQ(run.wait().exit_code, 75);
  EXPECT_THAT(names_without_records(toy.output()),
              AllOf(testing::Not(IsEmpty()), testing::Each(HasSubstr("checkpoint-"))));
}

TEST(ClosedStreams, DoNotChangeATraining) {
  const Toy toy;
  EXPECT_EQ(exit_code_in("( {} <&- >&- 2>&-; echo $? > $CODE )", toy.fit({"--epochs", "1"})), 0);
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

}  // namespace
}  // namespace portatune::cli
