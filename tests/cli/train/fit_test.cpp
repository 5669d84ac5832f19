// Training by the real command, from files to a folder.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "train/renew_manifest.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kModelFiles = {"config.json",    "model.safetensors",     "portatune.json",
                                              "tokenizer.json", "tokenizer_config.json", "training_run.json",
                                              "vocab.txt"};

TEST(Fit, LearnsAToyTaskAndSavesAModelFolder) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--epochs", "10", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_LT(result["before"]["accuracy"], 0.7);
  EXPECT_GT(result["after"]["accuracy"], 0.95);
  EXPECT_GT(result["after"]["roc_auc"], 0.95);
  EXPECT_EQ(result["steps"], 40);
  EXPECT_EQ(result["train_examples"], 64);
  EXPECT_EQ(result["output"], toy.output());
  EXPECT_EQ(names_without_records(toy.output()), kModelFiles);
  EXPECT_EQ(json::parse(read(toy.output() + "/config.json"))["architectures"][0], "BertForSequenceClassification");
  EXPECT_THAT(toy.left_behind(), ElementsAre("tuned"));
}

TEST(Fit, ThreeClassesHaveMacroF1AndMatthewsCorrelation) {
  const Toy toy;
  const std::string rows = "text,label\nthe film was good,good\nthe film was bad,bad\nwe saw the film,none\n";
  for (const char* file : {"train.csv", "validation.csv"}) write(toy.file(file), rows);
  const Finished fit = portatune(toy.fit({"--json"}));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto scores = nlohmann::json::parse(fit.out)["after"];
  for (const char* name : {"loss", "accuracy", "f1_macro", "matthews_correlation"}) EXPECT_TRUE(scores.contains(name));
  EXPECT_EQ(scores.size(), 4u) << scores;
  const Finished evaluate = portatune(
      {"evaluate", "--model", toy.output(), "--data", toy.file("validation.csv"), "--max-length", "16", "--json"});
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_EQ(nlohmann::json::parse(evaluate.out)["f1_macro"], scores["f1_macro"]);
}

TEST(Fit, ShowsAccuracyAndAucBesideThoseBeforeTraining) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--epochs", "1", "--head", "sigmoid"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::MatchesRegex(" +before +after\n"
                                             "held-out loss +[0-9.]+ +[0-9.]+\n"
                                             "held-out accuracy +[0-9.]+ +[0-9.]+\n"
                                             "held-out F1 +[0-9.]+ +[0-9.]+\n"
                                             "held-out MCC +-?[0-9.]+ +-?[0-9.]+\n"
                                             "held-out AUC +[0-9.]+ +[0-9.]+\n"
                                             "model +[^\n]+/tuned\n"
                                             "report +[^\n]+/report.html\n"));
  EXPECT_THAT(unwrapped(run.err), HasSubstr("new: classifier (17)"));
  EXPECT_THAT(run.err,
              testing::ContainsRegex("epoch +step +time  train loss  eval loss  accuracy      F1     MCC     AUC\n"
                                     "epoch 1/1 +4 +[0-9:]+ +[0-9.]+ +[0-9.]+ "));
}

TEST(Fit, QuietSaysNothingButTheResult) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--epochs", "1", "--quiet"}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, HasSubstr("held-out AUC"));
}

// Two programs are compiled, and neither can be kept.
TEST(Fit, CacheThatCannotBeWrittenIsToldOnce) {
  const Toy toy;
  const std::string no_folder = toy.file("train.csv") + "/cache";
  const Finished run = portatune(toy.fit({"--max-steps", "1", "--cache-folder", no_folder}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const size_t warning =
      run.err.find("warning: compiled programs are not cached: create " + no_folder + ": Not a directory");
  ASSERT_NE(warning, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("warning:", warning + 1), std::string::npos) << run.err;
  const Finished asked = portatune(Toy().fit({"--max-steps", "1", "--no-cache"}));
  EXPECT_EQ(asked.err.find("warning:"), std::string::npos) << asked.err;
}

TEST(Fit, WithoutValidationItSaysSo) {
  const Toy toy;
  const Finished run = portatune({"fit", "--model", tiny_bert(), "--train", toy.file("train.csv"), "--output",
                                  toy.output(), "--max-length", "16", "--max-steps", "3"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no --validation"));
  EXPECT_THAT(run.out, testing::MatchesRegex("model +[^\n]+\nreport +[^\n]+\n"));
}

TEST(Fit, TakesLabelsByNamePairsOfTextsAndJsonLines) {
  const Toy toy;
  write(toy.file("pairs.jsonl"), R"({"q": "was it good", "a": "the film was great", "y": "yes"}
{"q": "was it good", "a": "the film was awful", "y": "no"}
{"q": "was it bad", "a": "we liked it", "y": "maybe"}
)");
  const Finished run = portatune({"fit", "--model", tiny_bert(), "--train", toy.file("pairs.jsonl"), "--text-column",
                                  "q", "--text-pair-column", "a", "--label-column", "y", "--output", toy.output(),
                                  "--max-length", "24", "--batch-size", "3", "--max-steps", "2"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json config = json::parse(read(toy.output() + "/config.json"));
  EXPECT_EQ(config["id2label"], json({{"0", "maybe"}, {"1", "no"}, {"2", "yes"}}));
}

TEST(Fit, SameSeedSameBits) {
  const Toy a, b, c;
  ASSERT_EQ(portatune(a.fit({"--epochs", "2"})).exit_code, 0);
  ASSERT_EQ(portatune(b.fit({"--epochs", "2"})).exit_code, 0);
  ASSERT_EQ(portatune(c.fit({"--epochs", "2", "--seed", "43"})).exit_code, 0);
  EXPECT_EQ(weights_in(a.output()), weights_in(b.output()));
  EXPECT_NE(weights_in(a.output()), weights_in(c.output()));
}

// Long enough that a signal after some epochs finds it running: see Program.
const Words kLong = {"--epochs", "100"};

TEST(Fit, StoppedTwiceAndResumedItGivesTheSameBitsAsAnUnbrokenRun) {
  const Toy unbroken, broken;
  ASSERT_EQ(portatune(unbroken.fit(kLong)).exit_code, 0);

  Program first(broken.fit(kLong));
  ASSERT_TRUE(first.says("epoch 3/"));
  first.signal(SIGINT);
  const Finished stopped = first.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("portatune: stopped by SIGINT after step "));
  ASSERT_THAT(names_without_records(broken.output()), ElementsAre(testing::StartsWith("checkpoint-")));
  EXPECT_EQ(stopped.out, "");

  const std::string checkpoint = broken.output() + "/" + names_without_records(broken.output())[0];
  Program second(broken.fit(kLong + Words{"--resume-from-checkpoint", checkpoint}));
  ASSERT_TRUE(second.says("epoch 6/"));
  second.signal(SIGTERM);
  const Finished again = second.wait();
  ASSERT_EQ(again.exit_code, 75) << again.err;
  EXPECT_THAT(again.err, HasSubstr("stopped by SIGTERM"));

  const Finished last = portatune_by_shell(pasted_command(again.err));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(weights_in(broken.output()), weights_in(unbroken.output()));
  EXPECT_EQ(names_without_records(broken.output()), kModelFiles);
}

// A checkpoint of an interrupted run.
std::string checkpoint_of(const Toy& toy) {
  Program program(toy.fit(kLong));
  EXPECT_TRUE(program.says("epoch 3/"));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 75);
  return toy.output() + "/" + names_without_records(toy.output()).at(0);
}

TEST(Fit, ResumedWithSomethingElseItSaysWhatWasThere) {
  const Toy toy;
  const Words resumed = toy.fit(kLong + Words{"--resume-from-checkpoint", checkpoint_of(toy) + "/"});
  const auto expect_refused = [&](const Words& words, const std::string& given, const std::string& expected) {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, testing::Not(HasSubstr("training on"))) << "before any work";
    EXPECT_THAT(run.err, testing::Not(HasSubstr("measuring")));
    EXPECT_THAT(run.err, HasSubstr("given     " + given));
    EXPECT_THAT(run.err, HasSubstr("expected  " + expected));
    EXPECT_THAT(run.err, HasSubstr("fix       "));
  };
  expect_refused(resumed + Words{"--seed", "7"}, "seed 7\n", "seed 42, as in the run");
  expect_refused(resumed + Words{"--weight-decay", "0.5", "--dtype", "bfloat16"}, "dtype bfloat16, weight_decay 0.5\n",
                 "dtype float32, weight_decay 0, as in the run");
  Words words = resumed;
  *(std::ranges::find(words, "--batch-size") + 1) = "8";
  *(std::ranges::find(words, "--max-length") + 1) = "12";
  expect_refused(words, "batch_size 8, max_length 12\n", "batch_size 16, max_length 16, as in the run");
  words = resumed;
  *(std::ranges::find(words, "--epochs") + 1) = "500";
  expect_refused(words, "a schedule with an end after step 2000\n", "an end after step 400, as in the run");
  write(toy.file("train.csv"), toy_csv(65));
  expect_refused(resumed, "training_data 65 examples", "training_data 64 examples");
}

TEST(Fit, ResumesByTheStateOfTheDataInTheCheckpoint) {
  const Toy toy;
  const std::string checkpoint = checkpoint_of(toy), file = checkpoint + "/data_state.json";
  EXPECT_THAT(json::parse(read(file))["input"]["stage"], "repeat");
  write(file, R"({"stage": "pass", "epoch": 0, "input": {"stage": "take"}})");
  test::renew_manifest(checkpoint);
  const Finished run = portatune(toy.fit(kLong + Words{"--resume-from-checkpoint", checkpoint}));
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("resuming repeat\n  given     the state of 'take'"));
}

const Words kOften = kLong + Words{"--checkpoint-every", "7"};

// The average is a model of its own, also after a resume. The weights are those of a run without it.
TEST(Fit, SavesTheAveragedWeightsInAFolderOfTheModel) {
  const Toy toy, plain;
  const Words steps = {"--epochs", "3", "--checkpoint-every", "4"};
  const Finished run = portatune(toy.fit(steps + Words{"--ema", "0.9", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(portatune(plain.fit(steps)).exit_code, 0);
  EXPECT_EQ(weights_in(toy.output()), weights_in(plain.output()));

  const Finished evaluated = portatune({"evaluate", "--model", toy.output() + "/ema", "--data",
                                        toy.file("validation.csv"), "--max-length", "16", "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_NEAR(json::parse(evaluated.out)["loss"].get<double>(), json::parse(run.out)["after"]["ema_loss"].get<double>(),
              1e-5);

  const std::string average = weights_in(toy.output() + "/ema");
  for (const char* name : {"checkpoint-8", "checkpoint-12"}) {
    std::filesystem::rename(toy.output() + "/" + name, toy.file(name));
  }
  // A run that is resumed after its last step makes none, and still has the average.
  for (const char* name : {"checkpoint-8", "checkpoint-12"}) {
    std::filesystem::remove_all(toy.output());
    const Words from = {"--ema", "0.9", "--json", "--resume-from-checkpoint", toy.file(name)};
    const Finished resumed = portatune(toy.fit(steps + from));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(weights_in(toy.output() + "/ema"), average);
    EXPECT_EQ(json::parse(resumed.out)["after"], json::parse(run.out)["after"]);
  }
}

TEST(Fit, RemovesTheUnfinishedAveragesOfADeadRun) {
  const Toy toy;
  const Words words = toy.fit({"--epochs", "1", "--ema", "0.9"});
  ASSERT_EQ(portatune(words).exit_code, 0);
  const std::vector<std::string> before = names_in(toy.output());
  std::filesystem::create_directory(toy.output() + "/tmp.ema.0123456789abcdef");
  ASSERT_EQ(portatune(words + Words{"--resume"}).exit_code, 0);
  EXPECT_EQ(names_in(toy.output()), before);
}

TEST(Fit, KilledAndResumedItGivesTheSameBitsAsAnUnbrokenRun) {
  const Toy unbroken, broken;
  ASSERT_EQ(portatune(unbroken.fit(kLong)).exit_code, 0);
  int64_t last = 0;
  for (const char* saved : {"checkpoint-14\n", "checkpoint-84\n"}) {
    Program run(broken.fit(kOften + Words{"--resume"}));
    ASSERT_TRUE(run.says(saved));
    run.signal(SIGKILL);
    const Finished killed = run.wait();
    EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
    EXPECT_THAT(killed.err,
                HasSubstr(last == 0 ? "no checkpoint to resume from yet" : "resuming from " + broken.output()));
    const std::vector<train::SavedCheckpoint> checkpoints = train::checkpoints_in(broken.output());
    ASSERT_FALSE(checkpoints.empty());
    EXPECT_LE(checkpoints.size(), 4u);  // two, the one resumed from, and one whose removal was about to begin
    EXPECT_GT(checkpoints.back().step, last);
    EXPECT_EQ(checkpoints.back().step % 7, 0);
    last = checkpoints.back().step;
  }
  const Finished whole = portatune(broken.fit(kOften + Words{"--resume"}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(weights_in(broken.output()), weights_in(unbroken.output()));
  EXPECT_EQ(names_without_records(broken.output()), (Words{"checkpoint-399", "checkpoint-400"} + kModelFiles));
  EXPECT_THAT(broken.left_behind(), ElementsAre("tuned"));
}

TEST(Fit, KeepsAsManyCheckpointsAsItIsAsked) {
  const Toy toy;
  Program run(toy.fit(kLong + Words{"--checkpoint-every", "2", "--keep-checkpoints", "3"}));
  ASSERT_TRUE(run.says("checkpoint-20\n"));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_EQ(names_without_records(toy.output()).size(), 3u);
}

TEST(Fit, DoesNotBeginAmongTheCheckpointsOfAnotherRun) {
  const Toy toy;
  const std::string checkpoint = checkpoint_of(toy);
  const Finished run = portatune(toy.fit(kLong));
  EXPECT_EQ(run.exit_code, 73);
  EXPECT_THAT(run.err, HasSubstr(std::filesystem::path(checkpoint).filename().string()));
  EXPECT_THAT(run.err, HasSubstr("--resume"));
  EXPECT_TRUE(std::filesystem::exists(checkpoint + "/training_state.json"));
}

TEST(Fit, OneRunAtATimeWritesToAFolder) {
  const Toy toy;
  Program first(toy.fit(kLong));
  ASSERT_TRUE(first.says("epoch 2/"));
  const Finished second = portatune(toy.fit(kLong));
  EXPECT_EQ(second.exit_code, 73) << second.err;
  EXPECT_THAT(second.err, HasSubstr("another run writes, process " + std::to_string(first.pid())));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 75);
}

// With so many rows that the signal finds the validation running.
TEST(Fit, StoppedInAValidationItSavesAndCatchesUp) {
  const Toy toy;
  write(toy.file("validation.csv"), toy_csv(20'000));
  const Words words = toy.fit({"--epochs", "2", "--checkpoint-every", "4", "--logging-steps", "4"});
  Program run(words);
  // After the four steps of the first epoch, before its validation ends.
  ASSERT_TRUE(run.writes(toy.output() + "/metrics.jsonl", "\"step\":4,"));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, testing::Not(HasSubstr("epoch 1/2 ")));
  EXPECT_THAT(names_without_records(toy.output()), ElementsAre("checkpoint-4"));
  write(toy.file("validation.csv"), toy_csv(37));
  const Finished last = portatune(words + Words{"--resume"});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_THAT(last.err, HasSubstr("epoch 1/2  "));
  EXPECT_THAT(last.err, HasSubstr("epoch 2/2  "));
  EXPECT_EQ(names_without_records(toy.output()), (Words{"checkpoint-4", "checkpoint-8"} + kModelFiles));
}

TEST(Fit, StoppedBeforeTheFirstStepItLeavesNothing) {
  const Toy toy;
  write(toy.file("validation.csv"), toy_csv(20'000));
  Program run(toy.fit());
  ASSERT_TRUE(run.says("measuring the validation rows"));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

TEST(Fit, SecondSignalLeavesAtOnceAndLeavesOnlyTheRecords) {
  const Toy toy;
  Program program(toy.fit(kLong));
  ASSERT_TRUE(program.says("epoch 3/"));
  // Both are delivered before the program runs another instruction of its own.
  program.signal(SIGSTOP);
  program.signal(SIGINT);
  program.signal(SIGTERM);
  program.signal(SIGCONT);
  const Finished run = program.wait();
  EXPECT_THAT(run.exit_code, testing::AnyOf(128 + SIGINT, 128 + SIGTERM)) << run.err;
  EXPECT_THAT(names_without_records(toy.output()), testing::IsEmpty());
  EXPECT_EQ(portatune(toy.fit()).exit_code, 0) << "the records are not in the way";
}

// As the end of a connection sends it: the shell, and the system once more.
TEST(Fit, StoppedByTheEndOfAConnectionItSaves) {
  const Toy toy;
  Program run(toy.fit(kLong));
  ASSERT_TRUE(run.says("epoch 3/"));
  run.signal(SIGHUP);
  run.signal(SIGHUP);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGHUP"));
  EXPECT_THAT(names_without_records(toy.output()), ElementsAre(testing::StartsWith("checkpoint-")));
}

TEST(Fit, OutlivesTheEndOfAConnectionUnderNohup) {
  const Toy toy;
  std::signal(SIGHUP, SIG_IGN);
  Program run(toy.fit(kLong));
  std::signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(run.says("epoch 3/"));
  run.signal(SIGHUP);
  ASSERT_TRUE(run.says("epoch 9/"));
  run.signal(SIGUSR1);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped by SIGUSR1"));
}

// The model is there by then.
TEST(Fit, StoppedWhileTheModelIsMeasuredItPrintsWhatThereIs) {
  const Toy toy;
  write(toy.file("large.csv"), toy_csv(20'000));
  Words words = toy.fit({"--max-steps", "2", "--json", "--eval-strategy", "no", "--eval-on-start=false"});
  *(std::ranges::find(words, "--validation") + 1) = "large=" + toy.file("large.csv");
  Program run(words);
  ASSERT_TRUE(run.makes(toy.output(), "model.safetensors"));
  run.signal(SIGINT);
  const Finished stopped = run.wait();
  ASSERT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("not measured on \"large\""));
  EXPECT_FALSE(json::parse(stopped.out)["after"].contains("large_accuracy"));
}

TEST(Fit, StderrThatCannotBeWrittenChangesNothing) {
  const Toy toy;
  const auto exit_code = [](const Words& words) {
    std::string line = PORTATUNE_COMMAND;
    for (const std::string& word : words) line += " " + word;
    return WEXITSTATUS(std::system((line + " >/dev/null 2>/dev/full").c_str()));
  };
  EXPECT_EQ(exit_code(toy.fit({"--epochs", "1"})), 0);
  EXPECT_TRUE(std::filesystem::exists(toy.output() + "/model.safetensors"));
  EXPECT_EQ(exit_code({"evaluate", "--model", toy.output(), "--data", "/nowhere.csv", "--max-length", "16"}), 66);
  EXPECT_EQ(exit_code({"evaluate", "--what"}), 2);
}

TEST(Fit, LossThatIsNoNumberExitsWith76AndSavesWhatWasBefore) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--learning-rate=1e30"}) + Words{});
  EXPECT_EQ(run.exit_code, 2) << "given twice";
  Words words = toy.fit();
  words.back() = "1e30";
  const Finished nan = portatune(words);
  EXPECT_EQ(nan.exit_code, 76) << nan.err;
  EXPECT_THAT(nan.err, testing::ContainsRegex("portatune: step [0-9]+\n  given     loss -?nan"));
  EXPECT_THAT(nan.err, HasSubstr("train.csv:"));
  EXPECT_THAT(nan.err, HasSubstr("resume from " + toy.output() + "/checkpoint-"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(toy.output()) / "model.safetensors"));
}

// The loss of the only step is finite, what it makes of the weights is not.
TEST(Fit, OverflowInTheLastStepExitsWith76AndSavesNothing) {
  const Words overflow = {"--max-steps", "1", "--weight-decay", "1e38", "--lr-scheduler-type", "constant"};
  for (const bool validate : {true, false}) {
    const Toy toy;
    Words words = toy.fit(overflow);
    *(std::ranges::find(words, "--learning-rate") + 1) = "1e38";
    if (!validate) {
      const auto option = std::ranges::find(words, "--validation");
      words.erase(option, option + 2);
    }
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 76) << run.err;
    EXPECT_THAT(run.err, HasSubstr(validate ? "validation.csv:2" : "bert.embeddings."));
    EXPECT_THAT(names_without_records(toy.output()), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace portatune::cli
