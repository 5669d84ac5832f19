// portatune sweep, by the real command.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/runs/sweep_trials.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Words sweep_of(const Toy& toy, const Words& more) {
  Words words = toy.fit({"--epochs", "2"});
  words.front() = "sweep";
  return words + more;
}

std::string best_weights(const Toy& toy) { return read(toy.output() + "/best/model.safetensors"); }

TEST(SweepCommand, ShowsMeanAndSpreadOfEachConfigurationTheBestFirst) {
  const Toy toy;
  const Words words = sweep_of(toy, {"--seeds", "2"});
  Words grid;
  for (const std::string& word : words) {
    if (word != "--learning-rate" && word != "1e-2") grid.push_back(word);
  }
  const Finished run = portatune(grid + Words{"--grid", "learning-rate=1e-9,1e-2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::smatch mean;
  ASSERT_TRUE(std::regex_search(run.out, mean,
                                std::regex("learning-rate +loss +steps\n1e-[29] +(0\\.[0-9]+) ± 0\\.[0-9]+ +8 +best\n"
                                           "1e-[29] +(0\\.[0-9]+) ± 0\\.[0-9]+ +8\n")))
      << run.out;
  EXPECT_LE(std::stod(mean[1]), std::stod(mean[2]));
  EXPECT_THAT(run.err, HasSubstr("trial 4 of 4: learning-rate 1e-2, seed 43"));
  const Finished evaluated =
      portatune({"evaluate", "--model", toy.output() + "/best", "--data", toy.file("validation.csv"), "--json"});
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.err;
}

TEST(SweepCommand, TrialsAreRepeatedByTheCommandsInTheirRecords) {
  const Toy toy;
  const Finished run = portatune(sweep_of(toy, {"--grid", "weight-decay=0,0.1", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  const fs::path best = fs::path(toy.output()) / result["best"].get<std::string>();
  const std::string command = json::parse(read(best / "training_args.json"))["command"];
  EXPECT_THAT(command, HasSubstr("portatune fit --model="));
  EXPECT_THAT(command, HasSubstr("--weight-decay="));
  const std::string weights = read(best / "model.safetensors");
  fs::remove_all(best);
  const Finished again = portatune_by_shell(command);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read(best / "model.safetensors"), weights);
}

// Kills the command in several trials, and while it writes its results.
TEST(SweepCommand, KilledAtAnyPointItEndsWithTheSameResult) {
  const Words more = {"--grid", "weight-decay=0,0.1,0.2", "--halving", "--checkpoint-every", "3"};
  const Toy whole;
  ASSERT_EQ(portatune(sweep_of(whole, more)).exit_code, 0);
  const auto trials_of = [](const Toy& toy) { return json::parse(read(toy.output() + "/sweep.json"))["trials"]; };

  const std::vector<std::pair<std::string, std::string>> points = {{"trial-001", "checkpoint-"},
                                                                   {"", "trial-002"},
                                                                   {"trial-002", "checkpoint-"},
                                                                   {"trial-003", "metrics"},
                                                                   {"", "tmp.best"},
                                                                   {"", "best"},
                                                                   {"", "sweep.csv"}};
  for (const auto& [folder, beginning] : points) {
    const Toy toy;
    {
      Program program(sweep_of(toy, more));
      program.makes(toy.output() + (folder.empty() ? "" : "/" + folder), beginning);
      program.signal(SIGKILL);
      program.wait();
    }
    const Finished resumed = portatune(sweep_of(toy, more + Words{"--resume"}));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(trials_of(toy), trials_of(whole)) << folder << beginning;
    EXPECT_EQ(best_weights(toy), best_weights(whole)) << folder << beginning;
  }
}

TEST(SweepCommand, StoppedBySignalItShowsHowToContinue) {
  const Toy toy;
  Words words = toy.fit({"--epochs", "400", "--grid", "weight-decay=0,0.1"});
  words.front() = "sweep";
  Program program(words);
  ASSERT_TRUE(program.writes(toy.output() + "/trial-001/metrics.jsonl", "\"step\":100,"));
  program.signal(SIGTERM);
  const Finished stopped = program.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, testing::ContainsRegex("resume with  portatune sweep .* --resume\n"));
}

TEST(SweepCommand, FailsIfAllTrialsFail) {
  const Toy toy;
  Words words = toy.fit_of_an_overflow({"--validation", toy.file("scores.csv"), "--grid", "weight-decay=0,0.1"});
  words.front() = "sweep";
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("trial-002 failed: "));
}

// The trials of words for a model that need not be there.
SweepArguments arguments(const Words& more) {
  return std::get<SweepArguments>(
      parse(Words{"sweep", "--model", "m", "--train", "t.csv", "--validation", "v.csv", "--output", "o"} + more));
}

TEST(SweepTrials, AreAllCombinationsOfTheGrid) {
  const auto found = configurations_of(arguments({"--grid", "optim=sgd,adamw_torch", "epochs=1,2"}));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_THAT(found[0], ElementsAre(std::pair("epochs", "1"), std::pair("optim", "sgd")));
  EXPECT_THAT(found[3], ElementsAre(std::pair("epochs", "2"), std::pair("optim", "adamw_torch")));
}

TEST(SweepTrials, HaveTheOptionsThatSynonymsName) {
  const auto found = configurations_of(arguments({"--grid", "lr=1e-5,1e-4", "per_device_train_batch_size=8"}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0], ElementsAre(std::pair("learning-rate", "1e-5"), std::pair("batch-size", "8")));
  const auto refuse = [](const Words& more) { EXPECT_THROW(trials_of(arguments(more)), UsageError) << more[1]; };
  refuse({"--grid", "lr=1e-5", "learning-rate=1e-4"});  // one option twice
  refuse({"--grid", "lr=1e-5", "--learning-rate", "1e-4"});
  refuse({"--grid", "output_dir=a,b"});
  refuse({"--grid", "fp16=true,false"});
}

TEST(SweepTrials, HaveEachOptionOnceInTheGrid) {
  EXPECT_THROW(arguments({"--grid", "epochs=1", "--grid", "epochs=2"}), UsageError);
}

TEST(SweepTrials, DoNotResumeBecauseARecipeDoes) {
  const Toy toy;
  write(toy.file("r.yaml"), "resume: true\n");
  const SweepArguments a =
      std::get<SweepArguments>(parse(sweep_of(toy, {"--recipe", toy.file("r.yaml"), "--grid", "weight-decay=0,0.1"})));
  EXPECT_TRUE(a.fit.resume);
  for (const run::Trial& trial : trials_of(a)) EXPECT_FALSE(trial.options.resume);
}

TEST(SweepTrials, AreCommandLinesOfFit) {
  const SweepArguments a = arguments({"--grid", "learning-rate=1e-5", "--epochs", "2", "--halving", "--json"});
  EXPECT_THAT(words_of_trial(a, {{"learning-rate", "1e-5"}}, 43, "trial-002"),
              ElementsAre("fit", "--model=m", "--train=t.csv", "--validation=v.csv", "--epochs=2", "--json=true",
                          "--learning-rate=1e-5", "--seed=43", "--output=o/trial-002"));
}

TEST(SweepTrials, MistakesAreErrorsBeforeAnyTraining) {
  const auto complaint = [](const Words& more) -> std::string {
    try {
      trials_of(arguments(more));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint({"--grid", "learning-rat=1"}), HasSubstr("did you mean --learning-rate?"));
  EXPECT_THAT(complaint({"--grid", "learning-rate=fast"}), HasSubstr("fast"));
  EXPECT_THAT(complaint({"--grid", "learning-rate=1e-5..1e-4"}), HasSubstr("--random N"));
  EXPECT_THAT(complaint({"--grid", "learning-rate=1e-4..1e-5", "--random", "2"}), HasSubstr("LOW..HIGH"));
  EXPECT_THAT(complaint({"--grid", "learning-rate=1,2", "--random", "3"}), HasSubstr("at most 2"));
  EXPECT_THAT(complaint({"--grid", "epochs=1,2", "--epochs", "3"}), HasSubstr("--epochs"));
  EXPECT_THAT(complaint({"--grid", "device=cpu,cuda"}), HasSubstr("device"));
  EXPECT_THAT(complaint({"--grid", "seed=1,2"}), HasSubstr("seed"));
}

}  // namespace
}  // namespace portatune::cli
