// --padding does not change the results of training, evaluation and prediction.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Sentences of 4 to 12 tokens, whose label is a word in them.
std::string uneven_csv(int count) {
  std::string text = "text,label\n";
  for (int i = 0; i < count; ++i) {
    for (int word = 0; word < i % 4; ++word) text += "the film ";
    text += i % 2 == 1 ? "was good,1\n" : "was bad,0\n";
  }
  return text;
}

struct Uneven : Toy {
  Uneven() {
    write(file("train.csv"), uneven_csv(70));
    write(file("validation.csv"), uneven_csv(37));
  }
};

TEST(Padding, BucketsLearnTheToyTaskAsFixedLengthsDo) {
  const Uneven toy;
  const Finished run = portatune(toy.fit({"--epochs", "8", "--padding", "buckets=4,8,16", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_GT(result["after"]["accuracy"], 0.95);
  EXPECT_GT(result["after"]["matthews_correlation"], 0.9);
  EXPECT_EQ(result["steps"], 8 * 5);  // as many as without: 70 rows in batches of 16
  EXPECT_EQ(result["train_examples"], 70);
  EXPECT_THAT(run.err, HasSubstr("batches of 4, 8, 16 tokens: "));
  EXPECT_THAT(run.err, HasSubstr("1 to     4 tokens           18 examples  25.7 % ##########\n"));
  // A training step and an evaluation for each of three lengths, the latter compiled by the first measurement.
  EXPECT_THAT(run.err, HasSubstr("6 programs, one for each shape of batches; compiled 3 in "));
}

TEST(Padding, AutoFindsRoomForLongerValidationRows) {
  const Uneven toy;
  write(toy.file("validation.csv"), "text,label\nthe film the film the film the film the film was good,1\nbad,0\n");
  const Finished run = portatune(toy.fit({"--max-steps", "2", "--padding", "auto=2"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, testing::ContainsRegex("batches of [0-9]+, 14 tokens"));
}

// Tuned with buckets, measured and predicted with and without.
TEST(Padding, ScoresAndPredictionsAreThoseOfFixedLengths) {
  const Uneven toy;
  ASSERT_EQ(portatune(toy.fit({"--epochs", "2", "--padding", "auto=3"})).exit_code, 0);
  const auto run = [&](const std::string& command, const Words& more) {
    const Finished run = portatune(Words{command, "--model", toy.output(), "--data", toy.file("validation.csv"),
                                         "--max-length", "16", "--batch-size", "8"} +
                                   more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  const json fixed = json::parse(run("evaluate", {"--json", "--padding", "max_length"}));
  const json automatic = json::parse(run("evaluate", {"--json"}));
  const json grouped = json::parse(run("evaluate", {"--json", "--padding", "multiple_of=4"}));
  EXPECT_EQ(fixed["matthews_correlation"], grouped["matthews_correlation"]);
  EXPECT_NEAR(fixed["loss"], grouped["loss"], 1e-5);
  EXPECT_EQ(fixed["matthews_correlation"], automatic["matthews_correlation"]);
  EXPECT_NEAR(fixed["loss"], automatic["loss"], 1e-5);

  const std::vector<json> expected = json_lines(run("predict", {"--padding", "max_length"}));
  const std::vector<json> found = json_lines(run("predict", {"--padding", "buckets=4,8"}));
  ASSERT_EQ(expected.size(), 37u);
  ASSERT_EQ(found.size(), 37u);
  for (size_t row = 0; row < found.size(); ++row) {
    EXPECT_EQ(found[row]["label"], expected[row]["label"]) << row;
    EXPECT_NEAR(found[row]["logits"][0], expected[row]["logits"][0], 1e-4) << row;
  }
}

TEST(Padding, FoldsPredictEveryRowInItsOrder) {
  const Uneven toy;
  const Finished run = portatune({"fit",
                                  "--model",
                                  tiny_bert(),
                                  "--train",
                                  toy.file("train.csv"),
                                  "--output",
                                  toy.output(),
                                  "--folds",
                                  "2",
                                  "--max-length",
                                  "16",
                                  "--batch-size",
                                  "16",
                                  "--learning-rate",
                                  "1e-2",
                                  "--epochs",
                                  "20",
                                  "--padding",
                                  "auto=3",
                                  "--test",
                                  toy.file("validation.csv")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const auto& [file, rows] : {std::pair("/out_of_fold.jsonl", 70), std::pair("/test.jsonl", 37)}) {
    const std::vector<json> lines = json_lines(read(toy.output() + file));
    ASSERT_EQ(std::ssize(lines), rows) << file;
    int right = 0;
    for (int row = 0; row < rows; ++row) {
      if (lines[static_cast<size_t>(row)]["label"] == std::to_string(row % 2)) ++right;
    }
    EXPECT_GT(right, 0.9 * rows) << file;
  }
}

TEST(Padding, ResumingWithAnotherPolicyIsRefused) {
  const Uneven toy;
  Program first(toy.fit({"--epochs", "400", "--padding", "auto=2"}));
  ASSERT_TRUE(first.says("epoch 2/"));
  first.signal(SIGINT);
  ASSERT_EQ(first.wait().exit_code, 75);
  const Finished run = portatune(toy.fit({"--epochs", "400", "--padding", "auto=3", "--resume"}));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("padding"));
}

TEST(Padding, AWrongWordIsRefusedWithThoseThatThereAre) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--padding", "longest"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err,
              HasSubstr("--padding: longest is not auto, auto=N, max_length, multiple_of=N or buckets=A,B,..."));
  EXPECT_THAT(run.err, HasSubstr("portatune fit --help"));
  const Finished large = portatune(toy.fit({"--padding", "buckets=8,64"}));
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_THAT(large.err, HasSubstr("a bucket of 64"));
  EXPECT_THAT(large.err, Not(HasSubstr("training on")));
}

TEST(Padding, TasksWithBatchesOfOneShapeRefuseIt) {
  const Toy toy;
  const Finished run = portatune({"fit", "--task", "image-classification", "--model", tiny_bert(), "--train",
                                  "pictures", "--output", toy.output(), "--padding", "auto=2"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--padding with --task image-classification"));
}

}  // namespace
}  // namespace portatune::cli
