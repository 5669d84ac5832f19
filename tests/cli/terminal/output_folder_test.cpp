// Where fit() may save, and what happens when it cannot.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "cli/program.h"
#include "cli/toy.h"
#include "io/temporary_disk.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Nothing of the training has begun.
void expect_refused_at_once(const Finished& run, int exit_code, const std::string& why) {
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  EXPECT_THAT(run.err, HasSubstr("portatune: "));
  EXPECT_THAT(run.err, HasSubstr(why));
  EXPECT_THAT(run.err, Not(HasSubstr("training on")));
}

TEST(OutputFolder, MayNotBeAFile) {
  const Toy toy;
  write(toy.output(), "mine");
  expect_refused_at_once(portatune(toy.fit()), 73, "a file");
  EXPECT_EQ(read(toy.output()), "mine");
}

TEST(OutputFolder, MayNotHoldAnythingElseThanAModel) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  write(toy.output() + "/thesis.tex", "mine");
  expect_refused_at_once(portatune(toy.fit()), 73, "\"thesis.tex\" in it, which is no part of a model");
  EXPECT_EQ(read(toy.output() + "/thesis.tex"), "mine");
}

// A power cut may keep this file without the lock file, which was created before it.
TEST(OutputFolder, MayHoldTheFirstUnfinishedFileOfARun) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  write(toy.output() + "/tmp.training_args.json.0123456789abcdef", "");
  const Finished run = portatune(toy.fit());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/tmp.training_args.json.0123456789abcdef"));
}

TEST(OutputFolder, MayNotHoldDataThatOnlyLooksLikeAModel) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  write(toy.output() + "/notes.txt", "mine");
  expect_refused_at_once(portatune(toy.fit()), 73, "notes.txt");
}

TEST(OutputFolder, MayNotHoldOtherFoldersBesideAModel) {
  const Toy toy;
  std::filesystem::copy(tiny_bert(), toy.output());
  std::filesystem::create_directory(toy.output() + "/runs");
  expect_refused_at_once(portatune(toy.fit()), 73, "\"runs\"");
}

TEST(OutputFolder, MayNotHoldAFolderThatOnlyHasTheNameOfACheckpoint) {
  const Toy toy;
  std::filesystem::copy(tiny_bert(), toy.output());
  std::filesystem::create_directory(toy.output() + "/checkpoint-20");
  write(toy.output() + "/checkpoint-20/notes.txt", "mine");
  expect_refused_at_once(portatune(toy.fit()), 73, "\"checkpoint-20\"");
}

TEST(OutputFolder, KeepsWhatComesIntoItDuringTheRun) {
  const Toy toy;
  Program run(toy.fit({"--epochs", "40", "--checkpoint-every", "8"}));
  ASSERT_TRUE(run.says("checkpoint-8\n"));
  std::filesystem::create_directory(toy.output() + "/plots");
  write(toy.output() + "/plots/loss.svg", "mine");
  write(toy.output() + "/notes.txt", "mine");
  const Finished finished = run.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
  EXPECT_EQ(read(toy.output() + "/plots/loss.svg"), "mine");
  EXPECT_EQ(read(toy.output() + "/notes.txt"), "mine");
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/.portatune-lock"));
}

TEST(OutputFolder, MayNotHoldAFinishedModelUnlessItIsToBeOverwritten) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "2", "--checkpoint-every", "1"})).exit_code, 0);
  const std::string older = read(toy.output() + "/model.safetensors");
  const Finished refused = portatune(toy.fit({"--max-steps", "1"}));
  expect_refused_at_once(refused, 73, "a folder with a trained model");
  EXPECT_THAT(refused.err, HasSubstr("--overwrite-output"));
  EXPECT_EQ(read(toy.output() + "/model.safetensors"), older);

  const Finished run = portatune(toy.fit({"--max-steps", "1", "--overwrite_output_dir", "--checkpoint-every", "1"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(read(toy.output() + "/model.safetensors"), older);
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/checkpoint-2")) << "of the earlier run";
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/checkpoint-1"));
}

TEST(OutputFolder, IsNotOverwrittenByARunThatIsRefused) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "2", "--checkpoint-every", "1"})).exit_code, 0);
  const auto before = names_in(toy.output());
  EXPECT_EQ(portatune(toy.fit({"--overwrite-output", "--resume"})).exit_code, 2);
  EXPECT_EQ(portatune(toy.fit({"--overwrite-output", "--text-column", "none"})).exit_code, 65);
  Words words = toy.fit({"--overwrite-output"});
  *std::next(std::ranges::find(words, "--model")) = toy.output() + "/checkpoint-2";
  expect_refused_at_once(portatune(words), 2, "checkpoint-2, which would be removed");
  EXPECT_EQ(names_in(toy.output()), before);
}

TEST(OutputFolder, MayNotBeTheModelItself) {
  const Toy toy;
  const std::string model = toy.copy_of_model();
  const std::string before = read(model + "/model.safetensors");
  const Finished run =
      portatune({"fit", "--model", model, "--train", toy.file("train.csv"), "--output", model + "/../model/"});
  expect_refused_at_once(run, 2, "the folder of the model");
  EXPECT_EQ(read(model + "/model.safetensors"), before);
}

// The shell would be left in a folder that is gone.
TEST(OutputFolder, MayNotBeTheWorkingFolder) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(toy.output());
  const Finished run = portatune(toy.fit());
  std::filesystem::current_path(before);
  expect_refused_at_once(run, 2, "the working folder");
}

TEST(OutputFolder, MustBeWritable) {
  const Toy toy;
  chmod(toy.path().c_str(), 0555);
  const Finished run = portatune(toy.fit(), {.as_nobody = true});
  chmod(toy.path().c_str(), 0755);
  expect_refused_at_once(run, 77, "Permission denied");
  EXPECT_THAT(run.err, HasSubstr("choose another folder"));
}

// A volume of a container, with the folder that its file system has.
TEST(OutputFolder, MayBeAMountPoint) {
  const Toy toy, whole;
  std::filesystem::create_directory(toy.output());
  const TemporaryDisk disk(toy.output(), 50 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  std::filesystem::create_directory(toy.output() + "/lost+found");
  const Words options = {"--epochs", "2", "--checkpoint-every", "4"};
  const Finished run = portatune(toy.fit(options));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(portatune(whole.fit(options)).exit_code, 0);
  EXPECT_EQ(read(toy.output() + "/model.safetensors"), read(whole.output() + "/model.safetensors"));
  std::vector<std::string> expected = names_in(whole.output());
  expected.push_back("lost+found");
  EXPECT_THAT(names_in(toy.output()), testing::UnorderedElementsAreArray(expected));
  EXPECT_THAT(toy.left_behind(), testing::ElementsAre("tuned"));

  const Finished again = portatune(toy.fit(options + Words{"--overwrite-output", "--seed", "7"}));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(read(toy.output() + "/model.safetensors"), read(whole.output() + "/model.safetensors"));
  EXPECT_THAT(names_in(toy.output()), testing::UnorderedElementsAreArray(expected));
}

TEST(OutputFolder, ThatIsAMountPointKeepsAKilledRun) {
  const Toy toy, whole;
  std::filesystem::create_directory(toy.output());
  const TemporaryDisk disk(toy.output(), 50 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  const Words options = {"--epochs", "100", "--checkpoint-every", "100"};
  Program killed(toy.fit(options));
  ASSERT_TRUE(killed.says("checkpoint-100\n"));
  killed.signal(SIGKILL);
  killed.wait();
  const Finished run = portatune(toy.fit(options + Words{"--resume"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(portatune(whole.fit(options)).exit_code, 0);
  EXPECT_EQ(read(toy.output() + "/model.safetensors"), read(whole.output() + "/model.safetensors"));
}

// The folder is that of a run that was killed between two moves.
TEST(OutputFolder, OfAKilledRunIsFinishedByTheCommandThatReadsIt) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "1"})).exit_code, 0);
  const std::string staging = toy.output() + "/tmp.tuned.0123456789abcdef";
  std::filesystem::create_directory(staging);
  for (const char* name : {"config.json", "vocab.txt"}) {
    std::filesystem::rename(toy.output() + "/" + name, staging + "/" + name);
  }
  std::string journal;
  for (const std::string name : {"vocab.txt", "config.json"}) {
    const std::string old = "old." + name + ".0123456789abcdef";
    for (const std::string& field : {"tmp.tuned.0123456789abcdef/" + name, name, old, std::string("0")}) {
      journal += field + '\0';
    }
  }
  write(toy.output() + "/.portatune-commit.0123456789abcdef", journal + "end" + '\0');
  const Words evaluate = {"evaluate", "--model", toy.output(), "--data", toy.file("validation.csv")};
  const Finished run = portatune(evaluate);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/config.json"));
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/.portatune-commit.0123456789abcdef"));
}

TEST(OutputFolder, MayBeABoundFolder) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  std::filesystem::create_directory(toy.file("volume"));
  const TemporaryDisk disk(toy.output(), std::filesystem::path(toy.file("volume")));
  PORTATUNE_REQUIRE_DISK(disk);
  const Finished run = portatune(toy.fit({"--max-steps", "1"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy.file("volume/model.safetensors")));
}

TEST(OutputFolder, OfCrossValidationMayBeAMountPoint) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  const TemporaryDisk disk(toy.output(), 50 << 20);
  PORTATUNE_REQUIRE_DISK(disk);
  std::filesystem::create_directory(toy.output() + "/lost+found");
  Words words = {"fit", "--model", tiny_bert(), "--train", toy.file("train.csv"), "--output", toy.output()};
  const Finished run = portatune(words + Words{"--folds", "2", "--max-steps", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/fold-2/model.safetensors"));
}

// A folder that only its own permissions let this user write to.
TEST(OutputFolder, MayLieInAFolderThatIsNotWritable) {
  const Toy toy;
  std::filesystem::create_directory(toy.output());
  chmod(toy.path().c_str(), 0555);
  const Finished run = portatune(toy.fit({"--max-steps", "1"}), {.obeys_permissions = true});
  chmod(toy.path().c_str(), 0755);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/config.json"));
}

TEST(OutputFolder, OfAFileSystemWithoutLocksIsUsedWithAWarning) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1"}), {.without_file_locks = true});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), HasSubstr("warning: the file system of " + toy.output() + " has no locks"));
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(toy.output() + "/.portatune-lock"));
}

TEST(OutputFolder, MayBeNewWithNewParents) {
  const Toy toy;
  Words words = toy.fit({"--max-steps", "1"});
  *std::ranges::find(words, toy.output()) = toy.file("a/b/tuned");
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy.file("a/b/tuned/config.json")));
}

TEST(OutputFolder, FullDiskLeavesNoHalfModel) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1"}), {.largest_file_bytes = 8192});
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("model.safetensors"));
  EXPECT_THAT(run.err, HasSubstr("File too large"));
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(names_without_records(toy.output()), testing::IsEmpty());
}

TEST(OutputFolder, FullDiskLeavesAnOlderModelAsItWas) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "1"})).exit_code, 0);
  const std::string older = read(toy.output() + "/model.safetensors");
  const Words words = toy.fit({"--max-steps", "2", "--overwrite-output"});
  EXPECT_EQ(portatune(words, {.largest_file_bytes = 8192}).exit_code, 74);
  EXPECT_EQ(read(toy.output() + "/model.safetensors"), older);
  EXPECT_THAT(toy.left_behind(), testing::ElementsAre("tuned"));
}

}  // namespace
}  // namespace portatune::cli
