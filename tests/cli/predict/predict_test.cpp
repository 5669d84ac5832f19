#include <gmock/gmock.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;

// A toy model that has learnt, made once.
class Predict : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    toy_ = std::make_unique<Toy>();
    ASSERT_EQ(portatune(toy_->fit({"--epochs", "10"})).exit_code, 0);
  }
  static void TearDownTestSuite() { toy_.reset(); }

  static Words words(const Words& more) {
    return Words{"--model", toy_->output(), "--max-length", "16", "--batch-size", "16"} + more;
  }
  static std::unique_ptr<Toy> toy_;
};
std::unique_ptr<Toy> Predict::toy_;

TEST_F(Predict, GivesAnObjectForEachRowInOrder) {
  const std::string output = toy_->file("predictions.jsonl");
  const Finished run =
      portatune(Words{"predict"} + words({"--data", toy_->file("validation.csv"), "--output", output}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const std::vector<json> rows = json_lines(read(output));
  ASSERT_EQ(rows.size(), 37u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["label"], i % 2 == 1 ? "1" : "0");
    const double l0 = rows[i]["logits"][0], l1 = rows[i]["logits"][1];
    EXPECT_NEAR(rows[i]["scores"]["1"], 1 / (1 + std::exp(l0 - l1)), 1e-5);
    EXPECT_EQ(rows[i]["score"], rows[i]["scores"][rows[i]["label"].get<std::string>()]);
  }
}

TEST_F(Predict, WritesToStdoutByDefaultAndNeedsNoLabels) {
  write(toy_->file("new.jsonl"),
        "{\"text\": \"the film was lovely and we saw the play\"}\n{\"text\": \"the music was dreary and we saw the "
        "book\"}\n");
  const Finished run = portatune(Words{"predict"} + words({"--data", toy_->file("new.jsonl")}));
  const std::vector<json> rows = json_lines(run.out);
  ASSERT_EQ(rows.size(), 2u) << run.err;
  EXPECT_EQ(rows[0]["label"], "1");
  EXPECT_EQ(rows[1]["label"], "0");
}

TEST_F(Predict, SigmoidHeadTellsBothScores) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--max-steps", "2", "--head", "sigmoid"})).exit_code, 0);
  write(toy.file("new.csv"), "text\ngood\n");
  const Finished run =
      portatune({"predict", "--model", toy.output(), "--data", toy.file("new.csv"), "--max-length", "16"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json row = json_lines(run.out).at(0);
  ASSERT_EQ(row["logits"].size(), 1u);
  const double logit = row["logits"][0];
  EXPECT_NEAR(row["scores"]["1"], 1 / (1 + std::exp(-logit)), 1e-5);
  EXPECT_NEAR(row["scores"]["0"], 1 / (1 + std::exp(logit)), 1e-5);
}

TEST_F(Predict, BadRowLeavesTheOlderFileAsItWas) {
  write(toy_->file("new.csv"), "text,x\ngood,1\nbad,2,3\n");
  write(toy_->file("older.jsonl"), "older");
  const std::vector<std::string> before = names_in(toy_->path());
  const Finished run =
      portatune(Words{"predict"} + words({"--data", toy_->file("new.csv"), "--output", toy_->file("older.jsonl")}));
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_EQ(read(toy_->file("older.jsonl")), "older");
  EXPECT_EQ(names_in(toy_->path()), before);
}

TEST_F(Predict, SignalLeavesNothing) {
  const Toy toy;
  write(toy.file("many.csv"), toy_csv(300'000));
  std::filesystem::create_directory(toy.file("results"));
  Program program(Words{"predict"} + words({"--data", toy.file("many.csv"), "--output", toy.file("results/p.jsonl")}));
  ASSERT_TRUE(program.makes(toy.file("results"), "tmp.p.jsonl."));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 128 + SIGINT);
  EXPECT_THAT(names_in(toy.file("results")), testing::IsEmpty());
}

TEST_F(Predict, RemovesWhatAKilledRunHasLeft) {
  const Toy toy;
  write(toy.file("many.csv"), toy_csv(300'000));
  std::filesystem::create_directory(toy.file("results"));
  const Words output = {"--output", toy.file("results/p.jsonl")};
  Program killed(Words{"predict"} + words(Words{"--data", toy.file("many.csv")} + output));
  ASSERT_TRUE(killed.makes(toy.file("results"), "tmp.p.jsonl."));
  killed.signal(SIGKILL);
  killed.wait();
  EXPECT_EQ(names_in(toy.file("results")).size(), 1u);
  const Finished run = portatune(Words{"predict"} + words(Words{"--data", toy.file("validation.csv")} + output));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(names_in(toy.file("results")), testing::ElementsAre("p.jsonl"));
}

TEST_F(Predict, FullDiskIsAnError) {
  const Finished run =
      portatune(Words{"predict"} + words({"--data", toy_->file("validation.csv")}), {.stdout_to = "/dev/full"});
  EXPECT_EQ(run.exit_code, 74);
  EXPECT_THAT(run.err, testing::HasSubstr("No space left on device"));
}

TEST_F(Predict, DeviceIsWrittenToAndNotReplaced) {
  const auto predict_to = [](const char* output) {
    return portatune(Words{"predict"} + words({"--data", toy_->file("validation.csv"), "--output", output}));
  };
  EXPECT_EQ(predict_to("/dev/null").exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(predict_to("/dev/full").exit_code, 74);
}

TEST_F(Predict, OutputMayNotBeAFolder) {
  const Finished run =
      portatune(Words{"predict"} + words({"--data", toy_->file("validation.csv"), "--output", toy_->path()}));
  EXPECT_EQ(run.exit_code, 73) << run.err;
}

TEST_F(Predict, OutputDoesNotReplaceTheRows) {
  const std::string rows = toy_->file("validation.csv"), before = read(rows);
  const std::string other = toy_->file("../") + toy_->path().filename().string(), pattern = other + "/valid*.csv";
  for (const Words& more : {Words{"predict", "--model", toy_->output(), "--max-length", "16", "--data", rows},
                            Words{"predict", "--model", toy_->output(), "--max-length", "16", "--data", pattern},
                            Words{"tokenize", "--tokenizer", tiny_bert(), "--input", other + "/validation.csv"},
                            Words{"tfrecord", "write", "--input", rows}}) {
    const Finished run = portatune(more + Words{"--output", rows});
    EXPECT_EQ(run.exit_code, 73) << run.err;
    EXPECT_THAT(run.err, testing::HasSubstr("a file whose rows are read"));
    EXPECT_EQ(read(rows), before);
  }
}

TEST_F(Predict, FolderOfTheOutputMustExist) {
  const Finished run = portatune(
      Words{"predict"} + words({"--data", toy_->file("validation.csv"), "--output", toy_->file("nowhere/p.jsonl")}));
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, testing::EndsWith("portatune: --output " + toy_->file("nowhere/p.jsonl") +
                                         "\n  given     no folder " + toy_->file("nowhere") + "\n"));
}

// Here, since both need a model that has learnt.
using Evaluate = Predict;

TEST_F(Evaluate, MeasuresASavedModel) {
  const Finished run = portatune(Words{"evaluate"} + words({"--data", toy_->file("validation.csv"), "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json scores = json::parse(run.out);
  EXPECT_GT(scores["accuracy"], 0.95);
  EXPECT_GT(scores["roc_auc"], 0.95);
  EXPECT_LT(scores["loss"], 0.5);
  const double examples = scores["examples"], seconds = scores["seconds"];
  EXPECT_EQ(examples, 37);
  EXPECT_GT(seconds, 0);
  EXPECT_NEAR(scores["examples_per_second"], examples / seconds, 1e-6 * examples / seconds);
}

TEST_F(Evaluate, PrintsATable) {
  const Finished run = portatune(Words{"evaluate"} + words({"--data", toy_->file("validation.csv")}));
  EXPECT_THAT(run.out,
              testing::MatchesRegex("loss +[0-9.]+\naccuracy +[0-9.]+\nF1 +[0-9.]+\nMCC +[0-9.]+\nAUC +[0-9.]+\n"
                                    "examples +[0-9]+ in [0-9.]+ s, [0-9.]+ per second\n"));
}

// The first rows of several files are those of one file that begins with them.
TEST_F(Evaluate, MaxEvalSamplesMeasuresTheFirstRowsOfEachSet) {
  const auto scores_of = [](const Words& data, const Words& more = {}) {
    const Finished run = portatune(Words{"evaluate"} + words(Words{"--data"} + data + Words{"--json"} + more));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return scores_in(run.out);
  };
  write(toy_->file("six.csv"), toy_csv(6));
  write(toy_->file("ten.csv"), toy_csv(6) + toy_csv(4).substr(toy_csv(0).size()));
  write(toy_->file("nine.csv"), toy_csv(9));
  const std::string six = toy_->file("six.csv"), ten = toy_->file("ten.csv"), nine = toy_->file("nine.csv");
  const json first = scores_of({ten});
  EXPECT_EQ(scores_of({six, nine}, {"--max-eval-samples", "10"}), first);
  EXPECT_EQ(scores_of({"a=" + nine, "b=" + ten}, {"--max_eval_samples", "6"}), scores_of({"a=" + six, "b=" + six}));
  EXPECT_EQ(scores_of({six}, {"--max-eval-samples", "100"}), scores_of({six}));
}

TEST_F(Evaluate, BatchSizeDoesNotChangeTheScores) {
  const auto scores_at = [](const char* size) {
    Words all = Words{"evaluate"} + words({"--data", toy_->file("validation.csv"), "--json"});
    *(std::ranges::find(all, "--batch-size") + 1) = size;
    return json::parse(portatune(all).out);
  };
  const json one = scores_at("1"), many = scores_at("64");
  EXPECT_EQ(one["accuracy"], many["accuracy"]);
  EXPECT_EQ(one["roc_auc"], many["roc_auc"]);
  EXPECT_NEAR(one["loss"], many["loss"], 1e-5);
}

}  // namespace
}  // namespace portatune::cli
