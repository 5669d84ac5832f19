// A model that cannot be saved is not lost.
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "io/temporary_disk.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kEpochs = "100";  // long enough that something can be done meanwhile: see Program

// Puts a rescued model in the place that the failed run names.
void put_in_place(const Finished& failed) {
  const size_t at = failed.err.find("mkdir -p ");
  ASSERT_NE(at, std::string::npos) << failed.err;
  EXPECT_EQ(std::system(failed.err.substr(at, failed.err.find('\n', at) - at).c_str()), 0);
}

// Resumes as the failed run says, and gets the model of a run that did not fail.
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
  for (const char* name : {"/.portatune-lock", "/training_args.json"}) std::filesystem::remove(toy.output() + name);
  write(toy.output() + "/notes.txt", "mine");
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("step 400 is in " + toy.output() + "/checkpoint-400"), HasSubstr("not part of a model")));
  expect_to_go_on(run, toy, options);
  EXPECT_EQ(read(toy.output() + "/notes.txt"), "mine");
}

// A file in place of the parent of the output folder acts as a lost disk.
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
  EXPECT_THAT(run.err, HasSubstr("step 400 is in " + elsewhere.path().string() + "/tuned.rescued-"));
  std::filesystem::remove(parent);
  std::filesystem::rename(aside, parent);
  const Finished rest = portatune_by_shell(pasted_command(run.err));
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_TRUE(std::filesystem::exists(parent + "/tuned/model.safetensors"));
}

TEST(UnsavedModel, IsBesideAFileInThePlaceOfItsFolder) {
  const Toy toy;
  const Words options = {"--epochs", kEpochs};
  Program program(toy.fit(options));
  ASSERT_TRUE(program.says("epoch 2/"));
  std::filesystem::rename(toy.output(), toy.file("aside"));
  write(toy.output(), "mine");
  const Finished run = program.wait();
  EXPECT_NE(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("step 400 is in " + toy.output() + ".rescued-"));
  EXPECT_EQ(read(toy.output()), "mine");
  std::filesystem::remove(toy.output());
  expect_to_go_on(run, toy, options);
}

// The size of the toy's model in bytes.
int64_t size_of_model() {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return static_cast<int64_t>(std::filesystem::file_size(toy.output() + "/model.safetensors"));
}

// The model is smaller than a checkpoint.
TEST(Save, ACheckpointThatDoesNotFitDoesNotKeepTheModelFromBeingSaved) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "2", "--checkpoint-every", "5"}),
                                 {.largest_file_bytes = size_of_model() * 3 / 2});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("there is no checkpoint of the last step"), HasSubstr("File too large")));
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
}

TEST(Save, QuietlyTellsOfCheckpointsThatCouldNotBeWritten) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "4", "--checkpoint-every", "2", "--quiet", "--json"}),
                                 {.largest_file_bytes = size_of_model() * 3 / 2});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto failed = json::parse(run.out).at("failed_checkpoints").get<std::vector<std::string>>();
  EXPECT_THAT(failed, ElementsAre(HasSubstr("no checkpoint of step 2"), HasSubstr("no checkpoint of the last step")));
  EXPECT_EQ(run.err, "portatune: 2 checkpoints could not be written: " + failed.back() + "\n");
}

TEST(Save, NamesTheNewestCheckpointWhereNothingElseCanBeWritten) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", kEpochs, "--checkpoint-every", "10"});
  Program first(words);
  ASSERT_TRUE(first.says("checkpoint-10\n"));
  first.signal(SIGKILL);
  first.wait();
  const Finished full = portatune(words + Words{"--resume", "--quiet"}, {.largest_file_bytes = 8192});
  EXPECT_EQ(full.exit_code, 74) << full.err;
  EXPECT_THAT(full.err, HasSubstr("the newest checkpoint is " + toy.output() + "/checkpoint-"));
  EXPECT_EQ(portatune_by_shell(pasted_command(full.err)).exit_code, 0) << full.err;
}

TEST(Save, NamesTheNewestCheckpointThatIsValid) {
  const Toy toy;
  const Words options = {"--checkpoint-every", "4", "--lr-scheduler-type", "constant"};
  ASSERT_EQ(portatune(toy.fit(options + Words{"--max-steps", "8"})).exit_code, 0);
  write(toy.output() + "/checkpoint-8/model.safetensors", "damaged");
  const Finished full =
      portatune(toy.fit(options + Words{"--max-steps", "12", "--resume"}), {.largest_file_bytes = 8192});
  EXPECT_EQ(full.exit_code, 74) << full.err;
  EXPECT_THAT(full.err, HasSubstr("the newest checkpoint is " + toy.output() + "/checkpoint-4\n"));
}

// A disk with so little room that the model, and what a stopped run saves, do not fit on it.
class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    std::filesystem::create_directory(toy_.output());
    disk_.emplace(toy_.output(), 50 << 20);
  }

  void fill() const {
    const auto free = std::filesystem::space(toy_.output()).available;
    write(toy_.output() + "/filler", std::string(free - 4096, 'x'));
  }
  // The only entry beside the output folder and the data.
  std::string rescued() const {
    std::vector<std::string> names = toy_.left_behind();
    std::erase(names, "tuned");
    return names.size() == 1 ? names.front() : "";
  }

  const Toy toy_;
  std::optional<TemporaryDisk> disk_;
  const Words options_ = {"--epochs", kEpochs};
};

TEST_F(FullDisk, TheLastStepIsSavedBesideTheOutputFolder) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  Program program(toy_.fit(options_));
  ASSERT_TRUE(program.says("epoch 2/"));
  fill();
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(rescued(), testing::StartsWith("tuned.rescued-"));
  EXPECT_THAT(run.err, AllOf(HasSubstr("saving has failed and is tried again"), HasSubstr("free byte"),
                             HasSubstr("step 400 is in " + toy_.file(rescued()) + "/checkpoint-400")));
  std::filesystem::remove(toy_.output() + "/filler");
  expect_to_go_on(run, toy_, options_);
}

// A checkpoint would combine the number of the last step with the weights of the best one.
TEST_F(FullDisk, TheBestModelIsSavedAsAModelAlone) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  const Words best = {"--load-best-model-at-end", "--metric-for-best-model", "loss", "--greater-is-better"};
  Program program(toy_.fit(options_ + best));
  ASSERT_TRUE(program.says("epoch 2/"));
  fill();
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy_.file(rescued()) + "/model/model.safetensors")) << run.err;
  for (const auto& entry : std::filesystem::directory_iterator(toy_.file(rescued()))) {
    EXPECT_EQ(entry.path().filename(), "model") << run.err;
  }
}

// With the model in place the cross-validation continues with the next fold.
TEST_F(FullDisk, TheModelOfAFoldIsSavedElsewhere) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  const TemporaryFolder elsewhere;
  const auto words = [](const Toy& toy) {
    return Words{"fit",
                 "--model",
                 tiny_bert(),
                 "--train",
                 toy.file("train.csv"),
                 "--output",
                 toy.output(),
                 "--max-length",
                 "16",
                 "--epochs",
                 kEpochs,
                 "--folds",
                 "2",
                 "--max-concurrent-runs",
                 "1"};
  };
  setenv("TMPDIR", elsewhere.path().c_str(), 1);
  Program program(words(toy_));
  ASSERT_TRUE(program.says("epoch 2/"));
  fill();
  const Finished run = program.wait();
  unsetenv("TMPDIR");
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("it is in " + elsewhere.path().string() + "/fold-1.rescued-"));
  std::filesystem::remove(toy_.output() + "/filler");
  put_in_place(run);
  const Finished rest = portatune(words(toy_) + Words{"--resume"});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  const Toy whole;
  ASSERT_EQ(portatune(words(whole)).exit_code, 0);
  EXPECT_EQ(read(toy_.output() + "/out_of_fold.jsonl"), read(whole.output() + "/out_of_fold.jsonl"));
}

TEST_F(FullDisk, AStoppedRunIsSavedBesideTheOutputFolder) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  Program program(toy_.fit(options_));
  ASSERT_TRUE(program.says("epoch 2/"));
  fill();
  program.signal(SIGTERM);
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no checkpoint is saved in " + toy_.output() + "; step "));
  EXPECT_THAT(run.err, HasSubstr(" is in " + toy_.file(rescued()) + "/checkpoint-"));
  std::filesystem::remove(toy_.output() + "/filler");
  expect_to_go_on(run, toy_, options_);
}

TEST_F(FullDisk, ASaveIsTriedAgain) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  Program program(toy_.fit(options_));
  ASSERT_TRUE(program.says("epoch 2/"));
  fill();
  ASSERT_TRUE(program.says("saving has failed and is tried again"));
  std::filesystem::remove(toy_.output() + "/filler");
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(toy_.output() + "/model.safetensors"));
  EXPECT_EQ(rescued(), "");
}

TEST_F(FullDisk, ACheckpointIsTriedAgainAtTheNextOne) {
  PORTATUNE_REQUIRE_DISK(*disk_);
  // All are kept: what is removed would make room.
  const Words options = {"--epochs", "200", "--checkpoint-every", "50", "--keep-checkpoints", "20"};
  Program program(toy_.fit(options));
  ASSERT_TRUE(program.says("checkpoint-50\n"));
  fill();
  ASSERT_TRUE(program.says("warning: there is no checkpoint of step "));
  std::filesystem::remove(toy_.output() + "/filler");
  const Finished run = program.wait();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("; the next one is due at step "), HasSubstr("free byte")));
  const size_t warned = run.err.rfind("warning: there is no checkpoint");
  EXPECT_NE(run.err.find("saved " + toy_.output() + "/checkpoint-", warned), std::string::npos) << run.err;
  const Toy whole;
  ASSERT_EQ(portatune(whole.fit(options)).exit_code, 0);
  EXPECT_EQ(read(toy_.output() + "/model.safetensors"), read(whole.output() + "/model.safetensors"));
}

// The disk beside an output folder that takes no model has room for one, but not for a checkpoint.
TEST(UnsavedModel, IsSavedAloneWhereACheckpointDoesNotFit) {
  const Toy toy;
  const std::string parent = toy.file("runs"), output = parent + "/tuned";
  std::filesystem::create_directory(parent);
  const TemporaryDisk disk(parent, 88 << 10);
  PORTATUNE_REQUIRE_DISK(disk);
  Words words = toy.fit({"--epochs", kEpochs, "--eval-strategy", "no", "--logging-steps", "10000"});
  std::ranges::replace(words, toy.output(), output);
  Program program(words);
  ASSERT_TRUE(program.says("epoch 2/"));
  for (const char* name : {"/.portatune-lock", "/training_args.json"}) std::filesystem::remove(output + name);
  write(output + "/notes.txt", "mine");
  const Finished run = program.wait();
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("it is in " + parent + "/tuned.rescued-"));
  disk.resize(1 << 20);
  put_in_place(run);
  const Finished evaluation =
      portatune({"evaluate", "--model", output, "--data", toy.file("validation.csv"), "--json"});
  EXPECT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_EQ(read(output + "/notes.txt"), "mine");
}

std::string tokenizer_in(const std::string& folder) { return read(folder + "/vocab.txt"); }

// Training does not need the files of its initial model after the start.
TEST(Save, NeedsNothingOfTheModelItStartedFrom) {
  const Toy toy;
  const std::string model = toy.copy_of_model();
  const std::string vocabulary = tokenizer_in(model);
  Words words = toy.fit({"--epochs", kEpochs, "--checkpoint-every", "390"});
  *std::next(std::ranges::find(words, "--model")) = model;
  Program changed(words);
  ASSERT_TRUE(changed.says("epoch 2/"));
  write(model + "/vocab.txt", "garbage");
  Finished run = changed.wait();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(tokenizer_in(toy.output()), vocabulary);
  EXPECT_EQ(tokenizer_in(toy.output() + "/checkpoint-390"), vocabulary);

  std::filesystem::remove_all(toy.output());
  write(model + "/vocab.txt", vocabulary);
  Program removed(words);
  ASSERT_TRUE(removed.says("epoch 2/"));
  std::filesystem::remove_all(model);
  run = removed.wait();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(tokenizer_in(toy.output()), vocabulary);
}

TEST(Save, OfAStoppedRunNeedsNothingOfTheModelItStartedFrom) {
  const Toy toy;
  const std::string model = toy.copy_of_model();
  Words words = toy.fit({"--epochs", kEpochs});
  *std::next(std::ranges::find(words, "--model")) = model;
  Program program(words);
  ASSERT_TRUE(program.says("epoch 2/"));
  std::filesystem::remove_all(model);
  program.signal(SIGTERM);
  const Finished stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  std::filesystem::copy(tiny_bert(), model);
  expect_to_go_on(stopped, toy, {"--epochs", kEpochs});
}

TEST(Save, SaysThatNothingIsLeftWhereNothingCanBeWritten) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1"}), {.largest_file_bytes = 8192});
  EXPECT_EQ(run.exit_code, 74) << run.err;
  EXPECT_THAT(run.err, HasSubstr("neither the model nor a checkpoint of step 1 is saved"));
}

}  // namespace
}  // namespace portatune::cli
