// A model that cannot be saved is not lost.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <csignal>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kEpochs = "400";  // long enough that something can be done meanwhile

// The resume command in a message.
std::string pasted_command(const std::string& err) {
  const size_t begin = err.find("portatune fit ");
  return begin == std::string::npos ? "" : err.substr(begin, err.find('\n', begin) - begin);
}

// Goes on as the failed run says, to the model of a run that did not fail.
void expect_to_go_on(const Finished& failed, const Toy& toy, const Words& options) {
  const Finished rest = portatune_by_shell(pasted_command(failed.err));
  ASSERT_EQ(rest.exit_code, 0) << failed.err << rest.err;
  const Toy whole;
  ASSERT_EQ(portatune(whole.fit(options)).exit_code, 0);
  EXPECT_EQ(read(toy.output() + "/model.safetensors"), read(whole.output() + "/model.safetensors"));
}

// The disk is full from the last validation on, which takes a while.
TEST(UnsavedModel, IsInTheCheckpointOfTheLastStep) {
  const Toy toy;
  write(toy.file("validation.csv"), toy_csv(20'000));
  const Words options = {"--epochs", "2", "--checkpoint-every", "5"};
  Program program(toy.fit(options));
  ASSERT_TRUE(program.says("checkpoint-8\n"));
  const rlimit limit{8192, 8192};
  ASSERT_EQ(prlimit(program.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the model is not saved; step 8 is in " + toy.output() + "/checkpoint-8"),
                             HasSubstr("File too large")));
  write(toy.file("validation.csv"), toy_csv(37));
  expect_to_go_on(run, toy, options);
}

// Somebody has taken the folder for other things, and it no longer looks like that of a run.
TEST(UnsavedModel, GetsACheckpointIfThereIsNone) {
  const Toy toy;
  const Words options = {"--epochs", kEpochs};
  Program program(toy.fit(options));
  ASSERT_TRUE(program.says("epoch 2/"));
  std::filesystem::remove(toy.output() + "/.portatune-lock");
  write(toy.output() + "/notes.txt", "mine");
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("step 1600 is in " + toy.output() + "/checkpoint-1600"), HasSubstr("notes.txt")));
  expect_to_go_on(run, toy, options);
  EXPECT_EQ(read(toy.output() + "/notes.txt"), "mine");
}

// As when the disk of the output folder is gone: a file is where its parent was.
TEST(UnsavedModel, GetsACheckpointElsewhereIfTheFolderTakesNone) {
  const Toy toy;
  const TemporaryFolder elsewhere;
  const std::string parent = toy.file("runs"), aside = toy.file("aside");
  const Words options = {"--epochs", kEpochs};
  Words words = toy.fit(options);
  std::ranges::replace(words, toy.output(), parent + "/tuned");
  setenv("TMPDIR", elsewhere.path().c_str(), 1);
  Program program(words);
  ASSERT_TRUE(program.says("epoch 2/"));
  std::filesystem::rename(parent, aside);
  write(parent, "no folder");
  const Finished run = program.wait();
  unsetenv("TMPDIR");
  EXPECT_NE(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("step 1600 is in " + elsewhere.path().string() + "/portatune-"));
  std::filesystem::remove(parent);
  std::filesystem::rename(aside, parent);
  const Finished rest = portatune_by_shell(pasted_command(run.err));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_TRUE(std::filesystem::exists(parent + "/tuned/model.safetensors"));
}

// The model is smaller than a checkpoint.
TEST(Save, ACheckpointThatDoesNotFitDoesNotKeepTheModelFromBeingSaved) {
  const Toy toy;
  const Finished small = portatune(toy.fit({"--max-steps", "2"}));
  ASSERT_EQ(small.exit_code, 0) << small.err;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(toy.output() + "/model.safetensors"));
  std::filesystem::remove_all(toy.output());
  const Finished run =
      portatune(toy.fit({"--max-steps", "2", "--checkpoint-every", "5"}), {.largest_file_bytes = size + size / 2});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("there is no checkpoint of the last step"), HasSubstr("File too large")));
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

TEST(Save, ACheckpointThatDoesNotFitEndsTheRunWithTheCommandThatGoesOn) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", kEpochs, "--checkpoint-every", "100"});
  Program first(words);
  ASSERT_TRUE(first.says("checkpoint-100\n"));
  first.signal(SIGKILL);
  first.wait();
  const Finished full = portatune(words + Words{"--resume"}, {.largest_file_bytes = 8192});
  EXPECT_EQ(full.exit_code, 74) << full.err;
  EXPECT_THAT(full.err, HasSubstr("the newest checkpoint is " + toy.output() + "/checkpoint-"));
  EXPECT_EQ(portatune_by_shell(pasted_command(full.err)).exit_code, 0) << full.err;
}

TEST(Save, SaysThatNothingIsLeftWhereNothingCanBeWritten) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1"}), {.largest_file_bytes = 8192});
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("neither the model nor a checkpoint of step 1 is saved"));
}

}  // namespace
}  // namespace portatune::cli
