// Next-sentence prediction and replaced-token detection.
#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "tasks/case_with_tokenizer.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array kWorks = {"film", "play", "book", "story", "music"};

// A text follows praise if it praises, too.
std::string neighbours(int count) {
  std::string text = "text,text_pair,label\n";
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    text += std::string("the ") + kWorks[i % 5] + " was good,";
    text += i % 2 == 0 ? "we liked it,0\n" : "it was bad,1\n";
  }
  return text;
}

// "bad" has replaced another word.
std::string replaced(int count) {
  std::string text;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const bool is_replaced = i % 3 == 0;
    text += json{{"tokens", {"the", kWorks[i % 5], "was", is_replaced ? "bad" : "good"}},
                 {"replaced", {0, 0, 0, is_replaced ? 1 : 0}}}
                .dump() +
            "\n";
  }
  return text;
}

// The result of fit, and then of evaluate, on the same rows.
std::array<json, 2> learned(const Toy& toy, const Words& task, const std::string& rows) {
  const Finished fit = portatune(Words{"fit", "--train", rows, "--validation", rows, "--output", toy.output(),
                                       "--max-length", "16", "--batch-size", "16", "--json"} +
                                 task);
  EXPECT_EQ(fit.exit_code, 0) << fit.err;
  const Finished evaluate =
      portatune({"evaluate", "--model", toy.output(), "--data", rows, "--max-length", "16", "--json"});
  EXPECT_EQ(evaluate.exit_code, 0) << evaluate.err;
  if (fit.exit_code != 0 || evaluate.exit_code != 0) return {};
  return {json::parse(fit.out)["after"], json::parse(evaluate.out)};
}

std::string saved_class(const Toy& toy) {
  return json::parse(read(toy.output() + "/config.json"))["architectures"][0].get<std::string>();
}

TEST(NextSentencePredictionCommand, LearnsMeasuresAndPredicts) {
  const Toy toy;
  write(toy.file("pairs.csv"), neighbours(60));
  const Words task = {"--task", "next-sentence-prediction", "--model", tiny_bert(), "--epochs",
                      "12",     "--learning-rate",          "1e-2"};
  const auto [after, scores] = learned(toy, task, toy.file("pairs.csv"));
  EXPECT_EQ(saved_class(toy), "BertForNextSentencePrediction");
  EXPECT_GT(scores["accuracy"], 0.95) << scores;
  EXPECT_EQ(scores["accuracy"], after["accuracy"]);

  write(toy.file("new.csv"), "text,text_pair\nthe end was good,we liked it\nthe end was good,it was bad\n");
  const Finished predict =
      portatune({"predict", "--model", toy.output(), "--data", toy.file("new.csv"), "--max-length", "16"});
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_THAT(predict.out, StartsWith(R"({"row":0,"label":"0",)"));
  EXPECT_THAT(predict.out, HasSubstr(R"({"row":1,"label":"1",)"));
}

TEST(ReplacedTokenDetectionCommand, LearnsMeasuresAndPredicts) {
  const Toy toy;
  test::write_case_with_tokenizer(toy.file("electra"), "electra_pretraining");
  write(toy.file("words.jsonl"), replaced(60));
  const Words task = {"--task", "replaced-token-detection", "--model", toy.file("electra"), "--epochs",
                      "10",     "--learning-rate",          "1e-2"};
  const auto [after, scores] = learned(toy, task, toy.file("words.jsonl"));
  EXPECT_EQ(saved_class(toy), "ElectraForPreTraining");
  EXPECT_GT(scores["f1"], 0.95) << scores;
  EXPECT_EQ(scores["f1"], after["f1"]);

  write(toy.file("new.txt"), "the\nbook\nwas\nbad\n\nthe\nplay\nwas\ngood\n");
  const Finished predict =
      portatune({"predict", "--model", toy.output(), "--data", toy.file("new.txt"), "--max-length", "16"});
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_THAT(predict.out, StartsWith(R"({"row":0,"replaced":[0,0,0,1],"scores":[)"));
  EXPECT_THAT(predict.out, HasSubstr(R"({"row":1,"replaced":[0,0,0,0],"scores":[)"));
}

}  // namespace
}  // namespace portatune::cli
