#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;

// "the" begins a name, and the words after it continue the name; words of praise are names by themselves.
struct TaggedToy {
  json tokens, tags;
};

TaggedToy tagged(int i) {
  constexpr std::array kPraise = {"good", "fine", "great", "lovely"};
  constexpr std::array kThings = {"film", "play", "book", "story", "music"};
  const bool praise = i % 3 != 0;
  return {{"the", kThings[static_cast<size_t>(i % 5)], "was", praise ? kPraise[static_cast<size_t>(i % 4)] : "bad"},
          {"B-THING", "I-THING", "O", praise ? "B-PRAISE" : "O"}};
}

std::string jsonl(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += json{{"tokens", tagged(i).tokens}, {"ner_tags", tagged(i).tags}}.dump() + "\n";
  }
  return text;
}

std::string conll(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const TaggedToy toy = tagged(i);
    for (size_t word = 0; word < toy.tokens.size(); ++word) {
      text += toy.tokens[word].get<std::string>() + "\t" + toy.tags[word].get<std::string>() + "\n";
    }
    text += "\n";
  }
  return text;
}

TEST(TokenClassificationCommand, LearnsMeasuresAndPredicts) {
  const Toy toy;
  write(toy.file("train.conll"), conll(60));
  write(toy.file("dev.jsonl"), jsonl(17));
  const Words task = {"--max-length", "8", "--batch-size", "16"};
  const Finished fit = portatune(Words{"fit", "--task", "token-classification", "--model", tiny_bert(), "--train",
                                       toy.file("train.conll"), "--validation", toy.file("dev.jsonl"), "--output",
                                       toy.output(), "--epochs", "15", "--learning-rate", "1e-2", "--json"} +
                                 task);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;

  const Finished evaluate =
      portatune(Words{"evaluate", "--model", toy.output(), "--data", toy.file("dev.jsonl"), "--json"} + task);
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  const json scores = json::parse(evaluate.out);
  EXPECT_GT(scores["f1"], 0.95);
  EXPECT_GT(scores["accuracy"], 0.95);

  write(toy.file("new.txt"), "the\nbook\nwas\ngreat\n\nit\nwas\nbad\n");
  const Finished predict = portatune(Words{"predict", "--model", toy.output(), "--data", toy.file("new.txt")} + task);
  ASSERT_EQ(predict.exit_code, 0) << predict.err;
  EXPECT_THAT(predict.out, testing::StartsWith(R"({"row":0,"tags":["B-THING","I-THING","O","B-PRAISE"]})"));
}

// 17 rows in batches of 4, which no number of devices divides.
TEST(TokenClassificationCommand, SeveralDevicesEvaluateAndPredictLikeOne) {
  const Toy toy;
  write(toy.file("train.conll"), conll(60));
  write(toy.file("dev.jsonl"), jsonl(17));
  const Words task = {"--max-length", "8", "--batch-size", "4"};
  const Finished fit = portatune(Words{"fit", "--task", "token-classification", "--model", tiny_bert(), "--train",
                                       toy.file("train.conll"), "--output", toy.output(), "--max-steps", "2",
                                       "--learning-rate", "1e-3"} +
                                 task);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;

  const auto run = [&](const std::string& command, const Words& more) {
    const Finished done =
        portatune(Words{command, "--model", toy.output(), "--data", toy.file("dev.jsonl")} + task + more);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
  };
  const json scores = json::parse(run("evaluate", {"--json"}));
  EXPECT_LT(scores["accuracy"], 1);  // so that the mistakes are compared, too
  for (const char* mesh : {"data=2", "data=4", "data=2,fsdp=2"}) {
    const json found = json::parse(run("evaluate", {"--json", "--mesh", mesh}));
    for (const char* name : {"precision", "recall", "f1", "accuracy"}) EXPECT_EQ(found[name], scores[name]) << mesh;
    EXPECT_EQ(run("predict", {"--mesh", mesh}), run("predict", {})) << mesh;
  }
}

TEST(TokenClassificationCommand, BadRowsAreNamedWithTheirFile) {
  const Toy toy;
  write(toy.file("train.jsonl"), jsonl(3) + R"({"tokens": ["a"], "ner_tags": []})" + "\n");
  const Finished fit = portatune({"fit", "--task", "token-classification", "--model", tiny_bert(), "--train",
                                  toy.file("train.jsonl"), "--output", toy.output(), "--max-length", "8"});
  EXPECT_EQ(fit.exit_code, 65);
  EXPECT_THAT(fit.err, testing::HasSubstr("train.jsonl:4"));
  EXPECT_THAT(fit.err, testing::HasSubstr("0 tags"));
}

}  // namespace
}  // namespace portatune::cli
