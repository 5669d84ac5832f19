#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The ending that praises is the right one.
std::string swag(int count) {
  std::string text = "sent1,sent2,ending0,ending1,ending2,ending3,label\n";
  for (int i = 0; i < count; ++i) {
    text += "we saw the film,it";
    for (int ending = 0; ending < 4; ++ending) text += ending == i % 4 ? ",was good" : ",was bad";
    text += "," + std::to_string(i % 4) + "\n";
  }
  return text;
}

std::string lists(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    json endings = {"it was bad", "it was bad", "it was bad"};
    endings[static_cast<size_t>(i % 3)] = "it was good";
    text += json{{"question", "we saw the film"}, {"choices", endings}, {"answer", i % 3}}.dump() + "\n";
  }
  return text;
}

TEST(MultipleChoiceCommand, LearnsMeasuresAndPredicts) {
  const Toy toy;
  write(toy.file("train.csv"), swag(64));
  const Words size = {"--max-length", "16", "--batch-size", "8"};
  const Finished fit = portatune(Words{"fit", "--task", "multiple-choice", "--model", tiny_bert(), "--train",
                                     toy.file("train.csv"), "--validation", toy.file("train.csv"), "--output",
                                     toy.output(), "--epochs", "6", "--learning-rate", "1e-2", "--json"} +
                               size);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_GT(json::parse(fit.out)["after"]["accuracy"], 0.95) << fit.out;
  EXPECT_EQ(json::parse(read(toy.file("tuned/config.json")))["architectures"], json({"BertForMultipleChoice"}));

  // The columns and the number of endings differ: the score of an ending does not depend on the other endings.
  write(toy.file("new.jsonl"), lists(9));
  const Words columns = {"--context-column", "question", "--endings-column", "choices"};
  const Words of_model = Words{"--model", toy.output(), "--data", toy.file("new.jsonl")} + size + columns;
  const Finished evaluate = portatune(Words{"evaluate", "--json", "--label-column", "answer"} + of_model);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_GT(json::parse(evaluate.out)["accuracy"], 0.95) << evaluate.out;
  const Finished predict = portatune(Words{"predict"} + of_model);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_EQ(std::ranges::count(predict.out, '\n'), 9);
  EXPECT_THAT(predict.out, HasSubstr(",\"label\":1,\"ending\":\"it was good\",\"score\":"));
}

TEST(MultipleChoiceCommand, ScoresDoNotDependOnThePadding) {
  const Toy toy;
  write(toy.file("short.jsonl"), R"({"q": "good", "c": ["film", "very good film"], "label": 1})"
                                 "\n"
                                 R"({"q": "it was a very good story", "c": ["bad", "a very good film"], "label": 1})"
                                 "\n");
  const Words rows = {"--task", "multiple-choice", "--max-length", "16", "--context-column", "q", "--endings-column",
                      "c"};
  ASSERT_EQ(portatune(Words{"fit", "--model", tiny_bert(), "--train", toy.file("short.jsonl"), "--epochs", "1",
                            "--output", toy.output()} +
                      rows)
                .exit_code,
            0);
  const auto scores = [&](const Words& padding) {
    const Finished run = portatune(
        Words{"evaluate", "--json", "--model", toy.output(), "--data", toy.file("short.jsonl"), "--batch-size", "1"} +
        rows + padding);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return std::pair(run.err, run.exit_code == 0 ? json::parse(run.out)["loss"].get<double>() : 0);
  };
  const auto [said, loss] = scores({"--padding", "auto=2"});
  EXPECT_THAT(said, HasSubstr("batches of 7, 13 tokens"));
  EXPECT_NEAR(loss, scores({}).second, 1e-5);
}

TEST(MultipleChoiceCommand, BadRowsAreNamedWithTheirFile) {
  const Toy toy;
  const auto complaint = [&](const std::string& rows) {
    write(toy.file("train.jsonl"), rows);
    const Finished run = portatune({"fit", "--task", "multiple-choice", "--model", tiny_bert(), "--train",
                                  toy.file("train.jsonl"), "--output", toy.output(), "--max-length", "16",
                                  "--context-column", "q", "--endings-column", "c", "--max-steps", "1", "--quiet"});
    EXPECT_EQ(run.exit_code, 65) << run.err;
    return run.err;
  };
  const std::string good = R"({"q": "a", "c": ["x", "y"], "label": 1})";
  EXPECT_THAT(complaint(R"({"q": "a", "c": ["x", "y"], "label": 2})"), HasSubstr("train.jsonl:1\n  given     2 in"));
  EXPECT_THAT(complaint(R"({"q": "a", "c": ["x"], "label": 0})"), HasSubstr("train.jsonl:1\n  given     1 endings"));
  EXPECT_THAT(complaint(R"({"q": "a", "c": "x", "label": 0})"), HasSubstr("train.jsonl:1"));
  EXPECT_THAT(complaint(good + "\n" + R"({"q": "a", "c": ["x", "y", "z"], "label": 1})"), HasSubstr("train.jsonl:"));
}

}  // namespace
}  // namespace portatune::cli
