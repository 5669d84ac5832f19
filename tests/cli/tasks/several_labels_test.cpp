#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;

// A text of praise has one label, a text of blame has two.
std::string text_of(int row) { return row % 2 == 0 ? "the film was good" : "the film was bad"; }

std::string as_columns(int count) {
  std::string text = "text,praise,blame,anger\n";
  for (int i = 0; i < count; ++i) text += text_of(i) + (i % 2 == 0 ? ",1,0,0\n" : ",0,1,1\n");
  return text;
}

std::string as_lists(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += json{{"text", text_of(i)}, {"label", i % 2 == 0 ? json{"praise"} : json{"blame", "anger"}}}.dump() + "\n";
  }
  return text;
}

Words fit(const Toy& toy, const std::string& train, const Words& more) {
  return Words{"fit",          "--model", tiny_bert(),   "--train", toy.file(train),   "--output", toy.output(),
               "--max-length", "8",       "--epochs",    "15",      "--learning-rate", "1e-2",     "--batch-size",
               "16",           "--json",  "--validation"} +
         more;
}

TEST(SeveralLabels, AreLearntFromListsAndMeasuredInColumns) {
  const Toy toy;
  write(toy.file("train.jsonl"), as_lists(64));
  write(toy.file("dev.csv"), as_columns(20));
  const Finished run = portatune(fit(toy, "train.jsonl", {toy.file("train.jsonl")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(json::parse(run.out)["after"]["f1_micro"], 0.95) << run.out;
  const json config = json::parse(read(toy.file("tuned/config.json")));
  EXPECT_EQ(config["problem_type"], "multi_label_classification");
  EXPECT_EQ(config["label2id"], json::parse(R"({"anger": 0, "blame": 1, "praise": 2})"));

  const Words model = {"--model", toy.output(), "--max-length", "8", "--data", toy.file("dev.csv")};
  const Finished evaluation = portatune(Words{"evaluate", "--json", "--label-columns", "blame,anger,praise"} + model);
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_GT(json::parse(evaluation.out)["accuracy"], 0.9);
  const Finished prediction = portatune(Words{"predict"} + model);
  EXPECT_THAT(prediction.out, testing::StartsWith(R"({"row":0,"labels":["praise"],"scores":{"anger":)"))
      << prediction.err;
  EXPECT_THAT(prediction.out, testing::HasSubstr("\n{\"row\":1,\"labels\":[\"anger\",\"blame\"],"));
}

TEST(SeveralLabels, AreLearntFromColumns) {
  const Toy toy;
  write(toy.file("train.csv"), as_columns(64));
  const Finished run =
      portatune(fit(toy, "train.csv", {toy.file("train.csv"), "--label-columns", "blame,anger,praise"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(json::parse(run.out)["after"]["roc_auc_macro"], 0.95) << run.out;
}

TEST(SeveralLabels, OfOneSoftmaxAreRefused) {
  const Toy toy;
  write(toy.file("train.jsonl"), as_lists(8));
  const Finished run = portatune(fit(toy, "train.jsonl", {toy.file("train.jsonl"), "--head", "softmax"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, testing::HasSubstr("several labels"));
}

}  // namespace
}  // namespace portatune::cli
